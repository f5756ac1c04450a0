"""Parts of the page IB or RoCE: what is asked, the controls, and what the comparison says."""
