export const agentDownloads = {
  platforms: {
    "linux-x64": "Linux (x64)",
    "linux-arm64": "Linux (ARM64)",
    "darwin-x64": "macOS (Intel)",
    "darwin-arm64": "macOS (Apple silicon)",
    "win-x64": "Windows (x64)",
  },
  preparing: "Preparing the download for {{name}}…",
  waiting: "Waiting for another build",
  steps: { fetch: "Fetching Node.js", assemble: "Building the agent", compress: "Compressing" },
  absent: "The download for {{name}} is not prepared yet.",
  prepare: "Prepare",
  prepareLabel: "Prepare the download for {{name}}",
  retryLabel: "Try again to prepare the download for {{name}}",
  starting: "Starting…",
  failed: "The download for {{name}} could not be prepared.",
  reasons: {
    registry: "The server could not fetch Node.js from the npm registry. Check its network, then try again.",
    disk: "The server's disk is too full: preparing needs 700 MiB temporarily. Free some space, then try again.",
    memory:
      "The server has too little free memory: preparing needs about 1 GB temporarily. Free some memory, then try again, or build it on another machine with “npm run build:agent”.",
    tool: "{{tool}} is missing on the server. Install it (on Debian: apt-get install {{package}}), then try again.",
    fault: "The server's log says why.",
  },
  elsewhere:
    "This server has no download for {{name}} and does not build one. Its operator can build one with “npm run build:agent -- {{platform}}” and put it into the folder that AGENT_DOWNLOAD_DIR names, or set AGENT_DOWNLOAD_URL.",
} as const;
