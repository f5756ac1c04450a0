"""What stands before and after a name when it is set, taken back, printed or only named."""

from __future__ import annotations

import re

# In capitals, or NCCL's in small letters; after \n of a shell line inside a JSON string as well.
NAME = re.compile(
    r"(?:(?<![A-Za-z0-9_.])|(?<=\\[nrt])|(?<=\.)(?=(?:NCCL|FI|UCX|SHARP|OFI|TORCH|RCCL)_))"
    r"(?:[A-Z_][A-Za-z0-9_]{2,120}|nccl_[A-Za-z0-9_]{1,120})(?![A-Za-z0-9_])"
)
CONTAINER = re.compile(r"(?:SINGULARITYENV|APPTAINERENV)_(?=[A-Z])")

# What stands before a name, up to it.
CALL = re.compile(r"(?:setdefault|putenv|setenv|pushenv|addenv|set_var)\(\s*[\"']$", re.IGNORECASE)
KEYS_OF_ITEMS = frozenset(("name", "key", "value"))
ITEM = re.compile(r"(?:^|[\s{,\-\"'])(?:name|key)[\"']?\s*[:=]\s*[\"']?$", re.IGNORECASE)
VALUE_FIRST = re.compile(
    r"[\"']?value[\"']?\s*:\s*(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^\s,{}\"']+))\s*,?\s*"
    r"[\"']?(?:name|key)[\"']?\s*:\s*[\"']?$",
    re.IGNORECASE,
)
WORD = re.compile(
    r"(?:^|[\s;&(\x00])(?:setenv|pushenv|ENV|-genv|-env|setx|set(?:\s+-[-\w]+)+)[ \t\x00]+$"
)
UNSET = re.compile(
    r"(?:^|[\s;&|(])(?:(?:unset|unsetenv)(?:\s+-v)?|export\s+-n|set(?:\s+--?\w+)*?\s+"
    r"(?:-\w{0,3}e\w{0,3}|--erase)(?:\s+--?\w+)*)(?:\s+[A-Za-z_]\w*)*\s+$"
)
UNSET_ONE = re.compile(
    r"\benv\s(?:[^;&|\n]*\s)?(?:-u|--unset)[\s=]$|\bRemove-Item\s+Env:\\?$|"
    r"\bdel\s+(?:os\.)?environ\[[\"']$|\.(?:pop|unsetenv|delenv)\(\s*[\"']$|"
    r"\bunsetenv\(\s*[\"']$",
    re.IGNORECASE,
)
UNSET_HINTS = ("unset", "set -", "set --", "export -n", "-u ", "env", "pop(")
EXPORTS = re.compile(r"(?:^|[\s;&\x00])(?:export|setenv|env|-x|-e|--env[= ])?[ \t\x00]*[\"']?$")
# A comma ends a value and the next name follows: srun, #PBS -v, #BSUB -env, containers.
LISTED = re.compile(
    r"(?:(--export=[\"']?)|^\s*-v\s+|^\s*-env\s+[\"']?|"
    r"\b(?:apptainer|singularity|torchx)\b[^\n]{0,300}--env[= ][\"']?)[^\s\"']{0,400}$"
)
LIST_HINTS = ("--export=", "--env", "-v ", "-v\t", "-env ", "-env\t")
HELM = re.compile(r"--set(?:-string|-literal)?[= ][ \t]*[\"']?[^\s\"']{0,300}\.")
HELM_ITEM = re.compile(r"[\w\]]\.name=$")
HELM_VALUE = re.compile(
    r"[\"']?(?:,|[ \t\x00]+--set(?:-string|-literal)?[= ][ \t\x00]*[\"']?)[\w.\[\]-]{1,200}\.value="
)
PRINT_HINTS = ("echo", "print", "logger")
PRINTED = re.compile(r"(?:^|[;&|{(]|\bdo\b|\bthen\b)\s*(?:echo|printf|print|logger)\b[^;&|\n]*$")
PAIR_OPENS = re.compile(r"(?:^|[\s\[,(=])\(\s*[\"']$")
PAIR_ENDS = re.compile(r"([\"'])\s{0,99}+,\s{0,99}+\1([^\"'\n]{0,400})\1\s{0,99}+,?\s{0,99}+\)")
IN_FLOW = re.compile(r"[{,]\s*(?:[!&]\S{1,60}\s+)*[\"']?$")
# A name is alone on its line but for bullets, quotes, tags, and the words of make.
ALONE = re.compile(
    r"[\s>]*(?:-[ \t]+)*(?:(?:export|override|private)[ \t]+)*(?:[!&]\S{0,60}[ \t]+)*[\"']?-?"
)
BULLET = re.compile(r"[\s>]*(?:[*+]|\d{1,3}[.)])[ \t]+[\"']?$")
ARGUMENT = re.compile(r"[(,]\s*$")
OF_AN_ENVIRONMENT = re.compile(r"(?:\$env|\bprocess\.env)\.$")
ARRAY_KEY = re.compile(r"(?:^|[\s(\w])\[[\"']?$")

# What stands after it, from its end.
WRITES = re.compile(r"[^\n]{0,400}?(?:>|\|\s*tee\b)")  # echo "export X=1" >> file
# A word without an underscore is no variable of NCCL, and is looked at only if this follows.
MAY_BE_SET = re.compile(r"[ \t]*[=:?+\"'\]]")
SPACED = re.compile(r"[\"']?\]?[ \t]*(::?=|\?=|\+=|:|=(?!=))[ \t]*")
NEXT_VALUE = re.compile(
    r"[\"']?\s{0,400}+,?\s{0,400}+(?:[\"']?\w{1,20}[\"']?\s{0,9}+:\s{0,9}+[\"']?[\w.-]{0,60}[\"']?"
    r"\s{0,400}+,\s{0,400}+){0,2}[\"']?value(From)?[\"']?\s{0,40}+[:=][ \t]*",
    re.IGNORECASE,
)
LOGGED = re.compile(r" set (?:by environment )?to ")
COMMA = re.compile(r"[\"']\s{0,400}+,\s*")
IF_UNSET = re.compile(r":?=([^}\n]{0,400})\}")
AFTER_UNSET = frozenset(("", "\n", " ", "\t", ";", "&", '"', "'", ")"))
INI_COMMENT = re.compile(r"[ \t]+;")

# A value that a program computes.
CALLED = re.compile(r"[A-Za-z_][\w.]{0,60}\(")
ENDS_A_SENTENCE = re.compile(r"(?:\.(?=\s|\Z)|,(?=\s+(?:(?:and|or)\s+)?`?[A-Z]\w*_\w*=))")
EXPRESSION = re.compile(r"[^\s,;)}\]]{1,200}")
LITERAL = re.compile(r"-?[0-9]{1,20}|0x[0-9a-fA-F]{1,16}")
MADE_TEXT = re.compile(r"str\(\s*(-?[0-9]{1,20}|\"[^\"\n]{0,200}\"|'[^'\n]{0,200}')\s*\)")
PREFIX = re.compile(r"[rRbBuUfF]{1,2}(?=[\"'])")
COMPUTED = re.compile(r"[ \t]*(?:%[ \t]*[\w({\[\"']|\+(?!=)|\.(?:format|join|replace|strip)\()")
CONDITIONAL = re.compile(r"[ \t]+(?:if|or|and)\b")
REFERENCE = re.compile(
    r"\$[\w{(]|`|\{[{%]|\{[A-Za-z_][\w.]{0,60}\}|%[A-Za-z_]\w*%|%[sdir](?!\w)|%\(\w{1,60}\)[sdir]"
    r"|<[A-Za-z][\w -]*>"
)
CARRIES = re.compile(r"(?<!\w)[A-Z]{2,}_\w+=")
# A file whose lines a shell runs.
SHELL = re.compile(r"\A\s*#!|^[ \t]*(?:export[ \t]+[A-Za-z_]|#SBATCH\b)", re.MULTILINE)


def of_helm(before: str) -> bool:
    """Whether the word so far is an argument of ``--set`` that ends with a dot."""
    option = before.rfind("--set")
    return option >= 0 and HELM.fullmatch(before, option) is not None


def takes_back(before: str, after: str) -> bool:
    """Whether a name is unset; a quote after it belongs to a call that unsets."""
    if not any(hint in before for hint in UNSET_HINTS):
        return UNSET_ONE.search(before) is not None if "Env:" in before else False
    if UNSET_ONE.search(before):
        return True
    return after not in ('"', "'", ")") and UNSET.search(before) is not None
