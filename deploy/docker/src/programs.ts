import { serviceNames } from "@sonde/proto/services";

/** A program that has an image. */
export type ImageProgram = {
  /** The module that runs. */
  entry: string;
  /** Native packages that its image does without. */
  without?: readonly string[];
  /** Workspaces whose built form is in its image. `web`, which includes `cli`, and `docs` get a folder of that name. */
  builtFrom?: readonly string[];
  /** Whether it needs ClickHouse's engine, or can also use a ClickHouse server. */
  engine?: "required" | "optional";
  isForTests?: true;
};

/** The processors that images are built for, as OCI names them. */
export const architectures = ["amd64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];
export const ownArchitecture: Architecture = process.arch === "arm64" ? "arm64" : "amd64";

/** npm has ClickHouse's engine for amd64 only. */
const hasEngine = (architecture: Architecture): boolean => architecture === "amd64";

export const isBuiltFor = ({ engine }: ImageProgram, architecture: Architecture): boolean =>
  engine !== "required" || hasEngine(architecture);

/** Native packages that a program's image for a processor does without. */
export const withoutOn = ({ without = [], engine }: ImageProgram, architecture: Architecture): readonly string[] =>
  engine === undefined || hasEngine(architecture) ? without : [...without, "chdb"];

const frontends = ["web", "cli", "docs"];

/** Every program by the name of its image. */
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
