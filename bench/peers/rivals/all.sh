#!/usr/bin/env bash
# Trains all rivals side by side on one GPU within a time budget and evaluates them on the same queries:
#
#   all.sh DATA OUT SECONDS
#
# OUT/rivals.tar.gz holds logs and reports so far, at any time; a part that fails stops no other. By environment: PYTHON,
# DEVICE, RANK and PENALTIES (of ComplEx), DIMENSION (of the others), EACH (test queries of each structure, 0: all), FIT.
set -u
data=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
seconds=$3
cd "$(dirname "$0")/.."
export OMP_NUM_THREADS=${THREADS:-2}
device=${DEVICE:-cuda}
common="--device $device --threads $OMP_NUM_THREADS"
work=$(mktemp -d)
found=$work/found
mkdir "$found"

left() { echo $((seconds - SECONDS > 1 ? seconds - SECONDS : 1)); }
least() { echo $(($1 < $2 ? $1 : $2)); }
minutes() { echo "$(($1 / 60)).$(printf %03d $(($1 % 60 * 1000 / 60)))"; }

pack() { # another part may be packing, and logs grow meanwhile (tar's status 1)
  (
    flock 9
    tar -czf "$out/rivals.part" -C "$found" . 2>/dev/null || [ $? = 1 ] && mv "$out/rivals.part" "$out/rivals.tar.gz"
  ) 9>"$work/lock"
}

part() { # NAME SECONDS MODULE …: at most so many seconds; what it prints goes to NAME.log
  local name=$1 limit=$2
  shift 2
  echo "$SECONDS s: $name begins" >>"$found/timeline.log"
  timeout -k 5 "$limit" "${PYTHON:-python3}" -m "$@" $common >"$found/$name.log" 2>&1
  echo "$SECONDS s: $name ended with status $?" >>"$found/timeline.log"
  pack
}

evaluated() { # NAME RUN …
  local name=$1 run=$2
  shift 2
  part "$name-queries" "$(left)" rivals.evaluate "$run" --data "$data" --each "${EACH:-0}" --out "$found/$name.json" "$@"
}

# What the embeddings leave for starting and for evaluation; links get less than half, then QTO takes longest.
reserve=$(least 90 $((seconds / 4)))
penalties=${PENALTIES:-0.05 0.02 0.1}
for_links=$(least 180 $((seconds * 2 / 5)))

links() {
  for penalty in $penalties; do
    part "complex-$penalty" $((for_links + 40)) rivals.train complex "$data" --out "$work/complex-$penalty" --rank "${RANK:-1000}" \
      --penalty "$penalty" --relation-weight 4 --validate-every 1 --patience 3 --save-seconds 100000 --minutes "$(minutes "$for_links")" &
  done
  wait
  best=$(for penalty in $penalties; do
    [ -e "$work/complex-$penalty/best.pt" ] && sed -n "s/.* MRR \([0-9.]*\),.*/\1 $penalty/p" "$found/complex-$penalty.log"
  done | sort -n | tail -1)
  echo "$SECONDS s: best links (validation MRR, penalty): ${best:-none}" >>"$found/timeline.log"
  [ -z "$best" ] && return
  evaluated cqd "$work/complex-${best#* }" --by cqd --fit "${FIT:-10}" &
  evaluated qto "$work/complex-${best#* }" --by qto --fit "${FIT:-10}" --on-demand 0 &
  wait
}

embedding() { # MODEL …
  local model=$1
  part "$model" "$(left)" rivals.train "$@" --out "$work/$model" --dimension "${DIMENSION:-400}" --batch 512 --validate-every 2000 \
    --save-seconds 100000 --minutes "$(minutes $((seconds - reserve)))"
  evaluated "$model" "$work/$model"
}

links &
embedding gqe "$data" --rate 0.002 --negatives 256 &
embedding q2b "$data" --rate 0.002 --negatives 256 &
embedding betae "$data" --rate 0.0005 --negatives 512 &
parts=$(jobs -p)
while sleep 15; do pack; done 2>/dev/null &
packing=$!
wait $parts
kill $packing
pack
rm -r "$work"
