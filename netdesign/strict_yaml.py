"""YAML from strangers: safe types only, no aliases, no key that stands twice."""

from __future__ import annotations

from typing import Any

import yaml

NOT_YAML = (yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError)


def load_strict(text: str | bytes) -> Any:
    """What a YAML text holds.

    Raises
    ------
    one of NOT_YAML     whatever is wrong with the text; scalars that PyYAML cannot build raise
                        Python's own errors
    """
    return yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - a SafeLoader that refuses more


class _StrictLoader(yaml.SafeLoader):
    """A SafeLoader that refuses aliases and repeated keys."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(
                None, None, "aliases are not used in a design", event.start_mark
            )
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = key_node.value
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key} stands twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)
