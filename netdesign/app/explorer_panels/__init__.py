"""Parts of the Topology explorer: what is asked, the controls, and panels of the answer."""
