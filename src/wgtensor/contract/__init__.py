"""The backend contract: protocols, configs, plans, preparation and caches. No backend, no device."""

from wgtensor.contract.cache import BackendRuntimeCache, CacheStats
from wgtensor.contract.configs import (
    CompareDirection,
    DotGeneralAccumulation,
    DotGeneralConfig,
    GatherConfig,
    GroupedGemmJob,
    PadConfig,
    ScatterConfig,
    SliceConfig,
)
from wgtensor.contract.fusion import BroadcastInDim, ElementwiseFusionPlan, FusionOp
from wgtensor.contract.owners import BackendSessionHost, TensorBackend
from wgtensor.contract.preparation import (
    DotGeneralPreparation,
    DotGeneralPrepareRequest,
    NeedsSpecialization,
    PrepareCapability,
    Prepared,
    TensorSignature,
    Unsupported,
)
from wgtensor.contract.protocols import (
    BackendSession,
    Operand,
    TensorAnalytic,
    TensorBuffer,
    TensorDeviceTransfer,
    TensorDot,
    TensorElementwise,
    TensorFusion,
    TensorIndexing,
    TensorReduction,
    TensorStructural,
)
from wgtensor.contract.protocols_scan import TensorScan, TensorSort

__all__ = [
    "BackendRuntimeCache",
    "BackendSession",
    "BackendSessionHost",
    "BroadcastInDim",
    "CacheStats",
    "CompareDirection",
    "DotGeneralAccumulation",
    "DotGeneralConfig",
    "DotGeneralPreparation",
    "DotGeneralPrepareRequest",
    "ElementwiseFusionPlan",
    "FusionOp",
    "GatherConfig",
    "GroupedGemmJob",
    "NeedsSpecialization",
    "Operand",
    "PadConfig",
    "PrepareCapability",
    "Prepared",
    "ScatterConfig",
    "SliceConfig",
    "TensorAnalytic",
    "TensorBackend",
    "TensorBuffer",
    "TensorDeviceTransfer",
    "TensorDot",
    "TensorElementwise",
    "TensorFusion",
    "TensorIndexing",
    "TensorReduction",
    "TensorScan",
    "TensorSignature",
    "TensorSort",
    "TensorStructural",
    "Unsupported",
]
