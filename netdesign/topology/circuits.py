"""How is a torus of cubes cabled? Links between cubes run through optical circuit switches.

A link that leaves a cube is two cables: from the face of either cube to the circuit switch of that
place on the faces of that dimension (jouppi-2023). The logical torus is ``build_torus``'s.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.spec import FabricSpec
from netdesign.topology.torus import build_torus, torus_shape
from netdesign.topology.wiring import Bundle, wired_fabric

Truth = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


def build_torus_cables(spec: FabricSpec) -> Fabric:
    """The torus as it is cabled: nodes, circuit switches, and every cable between them.

    Parameters
    ----------
    spec : FabricSpec       of a torus with ``cube``

    Returns
    -------
    Fabric                  kinds of the dimensions inside cubes, and "optical" for both halves of
                            what leaves a cube; tier "circuit"

    Raises
    ------
    DesignError             as ``build_torus``; and without whole cubes
    """
    shape = torus_shape(spec)
    if not shape.circuit_switches or spec.cube is None:
        raise DesignError("cube", spec.cube, "makes no whole cubes of these sides", "change either")
    torus = build_torus(spec)
    place = np.array(np.unravel_index(torus.a, shape.dims, order="F"))
    leaves_cube = place[torus.kind, np.arange(torus.links)] % spec.cube == spec.cube - 1
    switch = torus.hosts + _circuit(place % spec.cube, torus.kind, spec.cube)
    bundles = [
        _inside(torus, axis, ~leaves_cube & (torus.kind == axis)) for axis in range(len(shape.dims))
    ]
    optical = np.flatnonzero(leaves_cube)
    bundles.append(
        Bundle(
            LinkKind("optical", spec.port_gbps),
            np.concatenate([torus.a[optical], torus.b[optical]]),
            np.concatenate([switch[optical]] * 2),
            np.concatenate([torus.a_slot[optical], torus.b_slot[optical]]),
        )
    )
    cubes = torus.hosts // spec.cube ** len(shape.dims)
    return wired_fabric(
        bundles,
        {"circuit": shape.circuit_switches},
        family=spec.family,
        hosts=torus.hosts,
        host_ports=torus.host_ports,
        endpoints=torus.endpoints,
        ports=2 * cubes,
        port_gbps=spec.port_gbps,
        notes=torus.notes,
    )


def _circuit(on_face: Numbers, axis: npt.NDArray[np.integer], cube: int) -> Numbers:
    """Circuit switch of each link: those of a dimension in the order of places on a face."""
    dimensions, links = on_face.shape
    number = np.zeros(links, dtype=np.int64)
    scale = np.ones(links, dtype=np.int64)
    for other in range(dimensions):
        counts = axis != other
        number += np.where(counts, on_face[other] * scale, 0)
        scale = np.where(counts, scale * cube, scale)
    first: Numbers = axis.astype(np.int64) * cube ** (dimensions - 1)
    return first + number


def _inside(torus: Fabric, axis: int, chosen: Truth) -> Bundle:
    link = np.flatnonzero(chosen)
    return Bundle(
        torus.kinds[axis], torus.a[link], torus.b[link], torus.a_slot[link], torus.b_slot[link]
    )
