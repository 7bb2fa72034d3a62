import pkgutil
import subprocess
import sys

import attn_jax.report
import attn_jax.results

CHECK = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
unwanted = {"jax", "jaxlib", "flax", "pandas", "pyarrow"} & set(sys.modules)
sys.exit(f"imported {sorted(unwanted)}" if unwanted else 0)
"""


def test_results_and_report_leave_jax_unloaded():
    rooms = (attn_jax.results, attn_jax.report)
    names = [m.name for room in rooms for m in pkgutil.iter_modules(room.__path__, room.__name__ + ".")]
    assert "attn_jax.results.records" in names
    assert "attn_jax.report.page" in names
    subprocess.run([sys.executable, "-c", CHECK, *names], check=True, timeout=120)
