"""Design the network of a GPU training cluster: demand, step time, parts and bill."""

__version__ = "0.1.0"
