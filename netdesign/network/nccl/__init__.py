"""NCCL's choice of algorithm and protocol, and how long its collectives really take.

``tables`` holds NCCL's numbers, ``tuning`` its latency and bandwidth of each algorithm and
protocol, ``choice`` the one that it takes, ``hardware`` what it finds on a machine, and
``prediction`` the time that systems show, from few fitted constants.
"""
