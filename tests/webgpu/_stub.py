import sys,types
try:
    import wgtensor.webgpu.kernels.reduction as q; q.REDUCTIONS
except Exception:
    r=types.ModuleType("wgtensor.webgpu.kernels.reduction"); r.REDUCTIONS={}; r.plan_reduce=None; sys.modules[r.__name__]=r
try:
    from wgtensor.webgpu.kernels.contraction import plan_contraction
except Exception:
    c=types.ModuleType("wgtensor.webgpu.kernels.contraction"); c.ContractionProblem=c.plan_contraction=None; sys.modules[c.__name__]=c
