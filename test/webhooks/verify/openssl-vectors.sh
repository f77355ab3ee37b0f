#!/usr/bin/env bash
# Signs generated cases with the openssl command:
# bash test/webhooks/verify/openssl-vectors.sh > test/webhooks/verify/openssl-vectors.txt
# One case a line: secret (hex), timestamp, body (hex), signature. Same cases each time: they are digests of their number.
number=0
while [ $number -lt 60 ]; do
  digest() { printf '%s %s' "$1" "$number" | openssl dgst -sha512 -r | cut -d' ' -f1; }
  secret=$(printf '%s%s' "$(digest secret)" "$(digest more)" | cut -c1-$((2 * (1 + number * 2))))
  timestamp=$((1700000000 + number * 12345678))
  body=$(printf '%s%s' "$(digest body)" "$(digest end)" | cut -c1-$((2 * number + 1)) | sed 's/.$//')
  signature=$({ printf '%s.' "$timestamp"; printf '%b' "$(printf '%s' "$body" | sed 's/../\\x&/g')"; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$secret" -r | cut -d' ' -f1)
  echo "$secret $timestamp ${body:--} $signature"
  number=$((number + 1))
done
