"""Studies: demonstrations recorded, tasks executed and judged, notebooks run into reports."""
