"""Accuracy and conformance probes of every function, on whatever adapter there is; ``wgtensor selftest`` runs them."""

from wgtensor.selftest.probes import Probe, list_probes
from wgtensor.selftest.rows import Row, run_probe

__all__ = ["Probe", "Row", "list_probes", "run_probe"]
