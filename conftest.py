"""Modules of optional libraries can be collected only where these are installed."""

from importlib.util import find_spec

OPTIONAL = {
    "src/sonmf/engines/dask.py": "dask",
    "src/sonmf/engines/gpu.py": "torch",
    "src/sonmf/kernels/sigmoid_products.py": "torch",
    "src/sonmf/kernels/sigmoid_products_triton.py": "triton",
    "src/sonmf/kernels/torch.py": "torch",
    "src/sonmf/kernels/torch_bernoulli.py": "torch",
}
collect_ignore = [path for path, library in OPTIONAL.items() if find_spec(library) is None]
