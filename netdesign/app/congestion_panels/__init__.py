"""Parts of the page on congestion and failures: what is asked, controls, panels."""
