import { serviceNames } from "@sonde/proto/services";

/** A program that has an image. */
export type ImageProgram = {
  /** The module that runs. */
  entry: string;
  /** Native packages that its image does without. */
  without?: readonly string[];
  /** Workspaces whose built form its image holds, too; `web` and `docs` are copied to folders of these names, and the built `cli` is in `web`. */
  builtFrom?: readonly string[];
  /** Whether ClickHouse's engine is in it. */
  hasEngine?: true;
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

/** Whether there is an image of a program for a processor: the engine of ClickHouse is on npm for amd64 alone. */
export const isBuiltFor = ({ hasEngine }: ImageProgram, architecture: Architecture): boolean =>
  hasEngine !== true || architecture === "amd64";

/** Every program by the name of its image. */
export const programs: ReadonlyMap<string, ImageProgram> = new Map<string, ImageProgram>([
  ...services,
  ["metrics-embedded", { entry: "services/metrics/src/main.ts", hasEngine: true }],
  [
    "all-in-one",
    { entry: "deploy/local/src/main.ts", builtFrom: ["web", "cli", "docs"], natsServer: true, hasEngine: true },
  ],
  ["setup", { entry: "deploy/setup/src/main.ts" }],
  ["backup", { entry: "deploy/backup/src/main.ts", without: ["chdb"] }],
  ["discovery", { entry: "services/discovery/src/main.ts" }],
  ["agents", { entry: "deploy/docker/src/copy-agents.ts", builtFrom: ["agent"] }],
  ["clickhouse", { entry: "deploy/docker/test-images/clickhouse/main.ts", hasEngine: true, isForTests: true }],
  ["target", { entry: "e2e/kubernetes/target/main.ts", isForTests: true }],
]);
