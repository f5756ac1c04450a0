"""The one kernel that pages run in: the Python that serves them, started lean."""

from __future__ import annotations

import sys
from typing import Any

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager, NoSuchKernel

KERNEL_NAME = "python3"


class ServingKernelSpecManager(KernelSpecManager):
    """Knows one kernel, whatever kernels a user has registered on this machine."""

    def find_kernel_specs(self) -> dict[str, str]:
        return {KERNEL_NAME: ""}

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        if kernel_name != KERNEL_NAME:
            raise NoSuchKernel(kernel_name)
        return KernelSpec(
            argv=[
                sys.executable,
                "-m",
                "ipykernel_launcher",
                "-f",
                "{connection_file}",
                "--HistoryManager.enabled=False",
            ],
            display_name="Python",
            language="python",
            # a page has one visitor: nobody else is to hear what he set
            env={"JUPYTER_WIDGETS_ECHO": "0"},
            metadata={"debugger": False, "supported_encryption": ["curve"]},
        )

    def get_all_specs(self) -> dict[str, Any]:
        spec = self.get_kernel_spec(KERNEL_NAME).to_dict()
        return {KERNEL_NAME: {"resource_dir": "", "spec": spec}}
