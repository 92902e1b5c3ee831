#!/bin/sh
# Pushes and signs what `npm run release` built: publish.sh REGISTRY, such as registry.example.com or ghcr.io/acme. Where
# you are logged in (skopeo login, cosign login, helm registry login). Needs skopeo, cosign and helm. COSIGN_KEY names a key of
# cosign; without it cosign asks its certificate authority for one, by your identity.
# Each image, with all its processors, becomes REGISTRY/sonde/<name>:<version>, the chart REGISTRY/charts/sonde.
set -eu
registry=${1:?is missing: publish.sh REGISTRY}
cd "${DIST:-$(dirname "$0")/../../dist}"
[ -f SHA256SUMS ] || { echo "dist/ is not whole: npm run release" >&2; exit 1; }
sha256sum --check --quiet SHA256SUMS

key=${COSIGN_KEY:+--key=$COSIGN_KEY}

while read -r name platform digest; do
  repository=$registry/${name%:*}
  if [ "$platform" = index ]; then
    echo "$registry/$name"
    skopeo copy --quiet --all --preserve-digests "oci:images:$name" "docker://$registry/$name" </dev/null
    cosign sign --yes $key "$repository@$digest" </dev/null
  else
    sbom=sbom/$(echo "$digest" | tr : -).cdx.json
    cosign attest --yes $key --type cyclonedx --predicate "$sbom" "$repository@$digest" </dev/null
  fi
done <images.txt

helm push sonde-[0-9]*.tgz "oci://$registry/charts"
cosign sign-blob --yes $key --bundle SHA256SUMS.sigstore.json SHA256SUMS
