"""The benchmarks of a design as a shell script that runs them and keeps a log of each."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from netdesign.acceptance.benchmarks import Benchmark, setting
from netdesign.acceptance.mark import MARK
from netdesign.evaluate import Evaluation
from netdesign.export.failure_plan import number, sign
from netdesign.failures.preflight import PlannedTest
from netdesign.order import parts_of
from netdesign.units import (
    bytes_per_second_to_gbps,
    bytes_to_gigabytes,
    seconds_to_microseconds,
)
from netdesign.wording import printable

_HEAD = """\
#!/usr/bin/env bash
# Benchmarks before training: {name}
#
# Needs on every host: nccl-tests built with MPI=1, perftest (ib_write_bw, ib_write_lat) and mpirun;
# and ssh without a password from where this script runs.
#
#   HOSTS=hosts.txt bash {file}                  run everything
#   HOSTS=hosts.txt ONLY=pairs bash {file}       only checks whose name begins so
#   DRY_RUN=1 HOSTS=hosts.txt bash {file}        print the commands
#
# Afterwards: netdesign audit LOGS/*.log --design DESIGN.yaml --report acceptance.html
set -u -o pipefail

HOSTS=${{HOSTS:?give a file with one host a line, neighbours of a rack together}}
LOGS=${{LOGS:-logs}}
NCCL_TESTS=${{NCCL_TESTS:-/opt/nccl-tests/build}}
MPIRUN=${{MPIRUN:-mpirun --allow-run-as-root --bind-to numa}}
GPUS_PER_HOST=${{GPUS_PER_HOST:-{gpus}}}   # fewer where a rack-scale machine boots as several hosts
NICS=${{NICS:-"{nics}"}}                # devices of a host that carry the compute network
ONLY=${{ONLY:-}}
DRY_RUN=${{DRY_RUN:-}}

mkdir -p "$LOGS"
mapfile -t hosts < <(grep -v -e '^[[:space:]]*#' -e '^[[:space:]]*$' "$HOSTS" | awk '{{print $1}}')
failed=0

wanted() {{ [[ -z $ONLY || $1 == "$ONLY"* ]]; }}

# run NAME COMMAND...: one log a check, marked with its name
run() {{
  local name=$1; shift
  local log="$LOGS/$name.log"
  if [[ -n $DRY_RUN ]]; then printf '%s:' "$name"; printf ' %q' "$@"; echo; return; fi
  echo "== $name"
  echo "{mark} ${{name%%@*}}" > "$log"
  if ! "$@" >> "$log" 2>&1; then echo "   failed: see $log"; failed=1; fi
}}

# hostlist FIRST COUNT: host:slots,... for mpirun
hostlist() {{
  local list="" index
  for ((index = $1; index < $1 + $2 && index < ${{#hosts[@]}}; index++)); do
    list+="${{list:+,}}${{hosts[index]}}:$GPUS_PER_HOST"
  done
  echo "$list"
}}

# collective NAME RANKS SPLIT PROGRAM ARGUMENTS...
collective() {{
  local name=$1 ranks=$2 split=$3 program=$4; shift 4
  wanted "$name" || return 0
  local count=$(((ranks + GPUS_PER_HOST - 1) / GPUS_PER_HOST))
  if ((count > ${{#hosts[@]}})); then
    echo "== $name: left out, it needs $count hosts"; return 0
  fi
  local env=(-x NCCL_DEBUG=VERSION)
  [[ -n $split ]] && env+=(-x "NCCL_TESTS_SPLIT=$split")
  run "$name" $MPIRUN -np "$ranks" -H "$(hostlist 0 "$count")" "${{env[@]}}" \\
    "$NCCL_TESTS/$program" "$@"
}}

# inside NAME RANKS PROGRAM ARGUMENTS...: on every host by itself
inside() {{
  local name=$1 ranks=$2 program=$3; shift 3
  wanted "$name" || return 0
  local index
  ((ranks > GPUS_PER_HOST)) && ranks=$GPUS_PER_HOST
  for index in "${{!hosts[@]}}"; do
    run "$name@${{hosts[index]}}" $MPIRUN -np "$ranks" -H "$(hostlist "$index" 1)" \\
      "$NCCL_TESTS/$program" "$@"
  done
}}

# pairs NAME TOOL ARGUMENTS...: every port of a host to the same port of the next one
pairs() {{
  local name=$1 tool=$2; shift 2
  wanted "$name" || return 0
  local index nic server client
  if ((${{#hosts[@]}} < 2)); then echo "== $name: left out, it needs 2 hosts"; return 0; fi
  for ((index = 0; index < ${{#hosts[@]}}; index += 2)); do
    server=${{hosts[index]}}; client=${{hosts[(index + 1) % ${{#hosts[@]}}]}}
    for nic in $NICS; do
      if [[ -z $DRY_RUN ]]; then
        ssh -n "$server" "timeout 120 $tool -d $nic $*" > /dev/null 2>&1 &
        sleep 2
      fi
      run "$name@$server-$client-$nic" ssh -n "$client" "$tool -d $nic $* $server"
      wait
    done
  done
}}

"""


def preflight_script(
    evaluation: Evaluation,
    checks: Sequence[Benchmark],
    tests: Sequence[PlannedTest] = (),
    file: str = "preflight.sh",
) -> str:
    """The script.

    Parameters
    ----------
    evaluation : Evaluation
    checks : sequence of Benchmark
    tests : sequence of PlannedTest     done by hand; the script prints how
    file : str                          what the script will be called, for its own help
    """
    server = parts_of(evaluation.design).server
    nics = " ".join(f"mlx5_{number}" for number in range(server.network_ports))
    head = _HEAD.format(
        name=printable(evaluation.design.name),
        file=shlex.quote(printable(file)),
        gpus=server.gpus,
        nics=nics,
        mark=MARK,
    )
    lines = [head + f"# {len(checks)} benchmarks"]
    for check in checks:
        lines += ["", f"# {printable(check.title)}: {goal(check)}", command(check)]
    if tests:
        lines += ["", "cat <<'END'", "By hand, while the job runs:"]
        lines += [f"  {_line(test)}" for test in tests]
        lines += ["END"]
    return "\n".join([*lines, "", "exit $failed", ""])


def command(check: Benchmark) -> str:
    """The line of the script that runs a check."""
    if check.quantity != "busbw":
        return f"pairs {check.id} {_tool(check)}"
    if check.nodes == 1 and check.sweep:
        return f"inside {check.id} {check.ranks} {_tool(check)}"
    return f"collective {check.id} {check.ranks} {shlex.quote(check.split)} {_tool(check)}"


def tool_command(check: Benchmark) -> str:
    """What a person types to run a check without the script."""
    if check.quantity != "busbw":
        tool, _, arguments = _tool(check).partition(" ")
        return f"{tool} -d mlx5_0 {arguments}, on the server; the same with its name on the client"
    split = f"-x NCCL_TESTS_SPLIT={shlex.quote(check.split)} " if check.split else ""
    return f"mpirun -np {check.ranks} {split}{_tool(check)}"


def _tool(check: Benchmark) -> str:
    if check.quantity == "bandwidth":
        load = f"-q {setting('pair-queue-pairs'):.0f} -s {check.size:.0f}"
        return f"ib_write_bw --report_gbits -F {load} -D {setting('pair-seconds'):.0f}"
    if check.quantity == "latency":
        return f"ib_write_lat -F -s {check.size:.0f} -n {setting('latency-calls'):.0f}"
    first = setting("smallest-message") if check.sweep else check.size
    sizes = f"-b {first:.0f} -e {check.size:.0f} -f {setting('sweep-factor'):.0f}"
    calls = f"-n {setting('iterations'):.0f} -w {setting('warm-up'):.0f}"
    return f"{check.operation}_perf {sizes} -g 1 {calls} -c 1"


def goal(check: Benchmark) -> str:
    """What a check must reach, with the unit that its tool prints."""
    return f"{pass_mark(check)}, expected {shown(check, check.expected)}"


def pass_mark(check: Benchmark) -> str:
    """The limit of a check: ``at least 45.2 GB/s``."""
    word = "at least" if check.more_is_better else "at most"
    return f"{word} {shown(check, check.limit)}"


def shown(check: Benchmark, value: float) -> str:
    """A number of a check as its tool prints it."""
    if check.quantity == "latency":
        return f"{seconds_to_microseconds(value):.3g} us"
    if check.quantity == "bandwidth":
        return f"{bytes_per_second_to_gbps(value):.4g} Gb/s"
    return f"{bytes_to_gigabytes(value):.4g} GB/s"


def _line(test: PlannedTest) -> str:
    unit = test.row.unit
    text = f"{test.row.name}: {test.procedure} Passes if {sign(test)} {number(test.limit)} {unit}."
    return printable(text)
