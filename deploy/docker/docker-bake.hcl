# Every image of Sonde, with an SBOM and provenance: docker buildx bake --file deploy/docker/docker-bake.hcl
# `npm run images` and deploy/release/publish.sh set the variables.
variable "REGISTRY" { default = "docker.io" }
variable "TAG" { default = "dev" }
variable "REVISION" { default = "unknown" }
# Files that the build reads and no image holds: npm's settings, authorities to trust, the key that signs agents.
variable "NPMRC" { default = "" }
variable "CA" { default = "" }
variable "AGENT_KEY" { default = "" }
# A folder of agents' archives; without it they are built.
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
  # `target` is for tests: what monitors check in a cluster.
  matrix     = { image = concat(released, ["target"]) }
  context    = "."
  dockerfile = "deploy/docker/Dockerfile"
  target     = contains(["agents", "all-in-one", "probe-runner"], image) ? image : "program"
  contexts   = image == "agents" && AGENT_ARCHIVES != "" ? { archives = AGENT_ARCHIVES } : {}
  # npm has ClickHouse's engine for amd64 only; all-in-one for arm64 does without it.
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
