import { serviceNames } from "@sonde/proto/services";

/** A program that has an image. */
export type ImageProgram = {
  /** The module that runs. */
  entry: string;
  /** Native packages that its image does without. */
  without?: readonly string[];
  /** Workspaces whose built form its image holds, too; `web` and `docs` are copied to folders of these names, and the built `cli` is in `web`. */
  builtFrom?: readonly string[];
  /** Whether it contains ClickHouse's engine, and if so, whether it also works without it, on a ClickHouse server. */
  engine?: "required" | "optional";
  /** Whether only tests need it. */
  isForTests?: true;
  /** Whether nats-server runs beside it. */
  natsServer?: boolean;
};

/** Services whose image by their own name is smaller, since they get an address of what they could bring themselves. */
const without: Readonly<Record<string, readonly string[]>> = { metrics: ["chdb"] };

const services = serviceNames.map((name): [string, ImageProgram] => [
  name,
  {
    entry: `services/${name}/src/main.ts`,
    ...(without[name] ? { without: without[name] } : {}),
    ...(name === "gateway" ? { builtFrom: ["web", "cli", "docs"] } : {}),
  },
]);

/** The processors that images are built for, as OCI names them. */
export const architectures = ["amd64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];

/** npm has ClickHouse's engine for amd64 only. */
const hasEngine = (architecture: Architecture): boolean => architecture === "amd64";

/** Whether a program has an image for a processor. */
export const isBuiltFor = ({ engine }: ImageProgram, architecture: Architecture): boolean =>
  engine !== "required" || hasEngine(architecture);

/** Native packages that a program's image for a processor does without. */
export const withoutOn = ({ without: own = [], engine }: ImageProgram, architecture: Architecture): readonly string[] =>
  engine === undefined || hasEngine(architecture) ? own : [...own, "chdb"];

/** Every program by the name of its image. */
export const programs: ReadonlyMap<string, ImageProgram> = new Map<string, ImageProgram>([
  ...services,
  ["metrics-embedded", { entry: "services/metrics/src/main.ts", engine: "required" }],
  [
    "all-in-one",
    { entry: "deploy/local/src/main.ts", builtFrom: ["web", "cli", "docs"], natsServer: true, engine: "optional" },
  ],
  ["setup", { entry: "deploy/setup/src/main.ts" }],
  ["backup", { entry: "deploy/backup/src/main.ts", without: ["chdb"] }],
  ["discovery", { entry: "services/discovery/src/main.ts" }],
  ["agents", { entry: "deploy/docker/src/copy-agents.ts", builtFrom: ["agent"] }],
  ["clickhouse", { entry: "deploy/docker/test-images/clickhouse/main.ts", engine: "required", isForTests: true }],
  ["target", { entry: "e2e/kubernetes/target/main.ts", isForTests: true }],
]);
