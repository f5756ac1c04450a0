"""Controls made from data/parameters.csv: label, field, slider, complaint."""
