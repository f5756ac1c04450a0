"""What carries charts and the page between the kernel and the browser."""

from netdesign.app.transport.chart_view import ChartView
from netdesign.app.transport.page import PageWidget

__all__ = ["ChartView", "PageWidget"]
