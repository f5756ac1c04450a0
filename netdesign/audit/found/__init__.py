"""A network as a dump shows it: devices and links, before they become a ``Fabric``."""
