# Builds all images with SBOM and provenance: docker buildx bake --file deploy/docker/docker-bake.hcl
# `npm run images` and deploy/release/publish.sh set the variables.
variable "REGISTRY" { default = "docker.io" }
variable "TAG" { default = "dev" }
variable "REVISION" { default = "unknown" }
# Build secrets, contained in no image: npm settings, trusted certificate authorities, the agent signing key.
variable "NPMRC" { default = "" }
variable "CA" { default = "" }
variable "AGENT_KEY" { default = "" }
# Folder with agent archives. If empty, the build creates them.
variable "AGENT_ARCHIVES" { default = "" }

variable "released" {
  default = [
    # Generated from proto/services.ts by `npm run generate:chart`: images.
    "auth",
    "monitors",
    "agent-ingest",
    "gateway",
    "probe-runner",
    "metrics",
    "notifier",
    "status-page",
    "metrics-embedded",
    "all-in-one",
    "setup",
    "backup",
    "discovery",
    "agents",
    # End of the generated part.
  ]
}

group "default" { targets = released }

target "image" {
  name = image
  # `target` is the server that monitors check in cluster tests.
  matrix     = { image = concat(released, ["target"]) }
  context    = "."
  dockerfile = "deploy/docker/Dockerfile"
  target     = contains(["agents", "all-in-one", "probe-runner"], image) ? image : "program"
  contexts   = image == "agents" && AGENT_ARCHIVES != "" ? { archives = AGENT_ARCHIVES } : {}
  # npm has ClickHouse's engine for amd64 only. On arm64, all-in-one works without it.
  platforms = image == "metrics-embedded" ? ["linux/amd64"] : ["linux/amd64", "linux/arm64"]
  args      = { SERVICE = image, VERSION = TAG, REVISION = REVISION }
  tags      = ["${REGISTRY}/sonde/${image}:${TAG}"]
  attest    = ["type=sbom", "type=provenance,mode=max"]
  secret = concat(
    NPMRC != "" ? ["id=npmrc,src=${NPMRC}"] : [],
    CA != "" ? ["id=ca,src=${CA}"] : [],
    AGENT_KEY != "" ? ["id=agent-signing-key,src=${AGENT_KEY}"] : [],
  )
}
