"""Tensor networks as files: reading, making, filling and contracting them in double precision.

Nothing here needs a device; `wgtensor contract` runs these networks on one.
"""

from wgtensor.networks.files import format_instance, read_instance, write_instance
from wgtensor.networks.fill import FilledNetwork, fill_network, fill_operands
from wgtensor.networks.instance import NetworkInstance
from wgtensor.networks.paths import find_path, path_flops
from wgtensor.networks.reference import contract_network

__all__ = [
    "FilledNetwork",
    "NetworkInstance",
    "contract_network",
    "fill_network",
    "fill_operands",
    "find_path",
    "format_instance",
    "path_flops",
    "read_instance",
    "write_instance",
]
