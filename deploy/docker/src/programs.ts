import { serviceNames } from "@sonde/proto/services";

export type ImageProgram = {
  entry: string;
  /** Native packages left out of the image. */
  without?: readonly string[];
  /** Workspaces whose build output is in the image. `web` (which includes `cli`) and `docs` get a folder of that name. */
  builtFrom?: readonly string[];
  /** `optional`: it can use a ClickHouse server instead of the embedded engine. */
  engine?: "required" | "optional";
  isForTests?: true;
};

export const architectures = ["amd64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];
export const ownArchitecture: Architecture = process.arch === "arm64" ? "arm64" : "amd64";

/** npm has ClickHouse's engine for amd64 only. */
const hasEngine = (architecture: Architecture): boolean => architecture === "amd64";

export const isBuiltFor = ({ engine }: ImageProgram, architecture: Architecture): boolean =>
  engine !== "required" || hasEngine(architecture);

export const withoutOn = ({ without = [], engine }: ImageProgram, architecture: Architecture): readonly string[] =>
  engine === undefined || hasEngine(architecture) ? without : [...without, "chdb"];

const frontends = ["web", "cli", "docs"];

export const programs: ReadonlyMap<string, ImageProgram> = new Map<string, ImageProgram>([
  ...serviceNames.map((name): [string, ImageProgram] => [name, { entry: `services/${name}/src/main.ts` }]),
  ["gateway", { entry: "services/gateway/src/main.ts", builtFrom: frontends }],
  ["metrics", { entry: "services/metrics/src/main.ts", without: ["chdb"] }],
  ["metrics-embedded", { entry: "services/metrics/src/main.ts", engine: "required" }],
  ["all-in-one", { entry: "deploy/local/src/main.ts", builtFrom: frontends, engine: "optional" }],
  ["setup", { entry: "deploy/setup/src/main.ts" }],
  ["backup", { entry: "deploy/backup/src/main.ts", without: ["chdb"] }],
  ["discovery", { entry: "services/discovery/src/main.ts" }],
  ["agents", { entry: "deploy/docker/src/copy-agents.ts", builtFrom: ["agent"] }],
  ["clickhouse", { entry: "deploy/docker/test-images/clickhouse/main.ts", engine: "required", isForTests: true }],
  ["target", { entry: "e2e/kubernetes/target/main.ts", isForTests: true }],
]);
