#!/bin/sh
# publish.sh REGISTRY: builds, pushes and signs the images, and publishes the results of `npm run release`. Log in first
# (docker login, cosign login, helm registry login). Needs Docker with buildx, cosign, helm and Node. COSIGN_KEY is a
# cosign key; without it, cosign signs with your identity.
set -eu
registry=${1:?is missing: publish.sh REGISTRY}
cd "$(dirname "$0")/../.."
[ -f dist/SHA256SUMS ] || { echo "dist/ is not complete: npm run release" >&2; exit 1; }
(cd dist && sha256sum --check --quiet SHA256SUMS)
key=${COSIGN_KEY:+--key=$COSIGN_KEY}

REGISTRY=$registry TAG=$(node -p 'require("./package.json").version') REVISION=$(git rev-parse HEAD) \
  AGENT_ARCHIVES=dist/agents \
  docker buildx bake --file deploy/docker/docker-bake.hcl --push --metadata-file dist/images.json

node -p '
  Object.values(require("./dist/images.json"))
    .filter((image) => image["containerimage.digest"])
    .map((image) => image["image.name"].replace(/:[^:/]*$/, "") + "@" + image["containerimage.digest"])
    .join("\n")' >dist/images.txt
mkdir -p dist/sbom
while read -r image; do
  cosign sign --yes $key "$image" </dev/null
  name=${image%@*}
  docker buildx imagetools inspect "$image" --format '{{ json .SBOM }}' </dev/null >"dist/sbom/${name##*/}.json"
done <dist/images.txt

helm push dist/sonde-[0-9]*.tgz "oci://$registry/charts"
cosign sign-blob --yes $key --bundle dist/SHA256SUMS.sigstore.json dist/SHA256SUMS
