import { StartupError } from "@sonde/kit/embedded/startup-error";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Architecture } from "../programs.ts";

type BuildInput = {
  tag: string;
  /** Of the image; steps of the build run on this machine's. */
  architecture: Architecture;
  dockerfile: string;
  context: string;
  arguments: Readonly<Record<string, string>>;
  /** Files that steps may read and that no layer holds, by id. */
  secrets: Readonly<Record<string, string>>;
  /** Seconds since 1970: every file and the image are of this instant, so that builds can be compared. */
  epochSeconds: number;
};

/** What builds images. */
export type Builder = {
  name: BuilderName;
  /** Whether an official image can be used: it was pulled just now, or Docker's engine has it from earlier. */
  pull(tag: string): Promise<boolean>;
  build(input: BuildInput): Promise<void>;
  tag(existing: string, further: string): Promise<void>;
  /** Writes a docker-archive, which carries the tag. */
  save(tag: string, file: string): Promise<void>;
  /** Pushes an image to the registry that its tag names. */
  push(tag: string): Promise<void>;
  /**
   * Adds an index of images, one for each processor, to an OCI layout.
   * @param name what the index is called there
   */
  saveIndex(name: string, tags: readonly string[], layout: string): Promise<void>;
};

export type BuilderName = "buildah" | "docker";

/** The processor of this machine. */
export const ownArchitecture: Architecture = process.arch === "arm64" ? "arm64" : "amd64";

const buildFlags = ({ tag, architecture, dockerfile, context, arguments: given, secrets }: BuildInput) => [
  "--platform",
  `linux/${architecture}`,
  // Docker has it by itself; older releases of buildah do not.
  "--build-arg",
  `BUILDPLATFORM=linux/${ownArchitecture}`,
  ...Object.entries(given).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]),
  ...Object.entries(secrets).flatMap(([id, file]) => ["--secret", `id=${id},src=${file}`]),
  "--tag",
  tag,
  "--file",
  dockerfile,
  context,
];

/**
 * buildah, which needs no daemon.
 * @param storage a folder for its images; its own choice unless it is given
 */
function buildah(storage: string | undefined): Builder {
  const own = storage === undefined ? [] : ["--root", `${storage}/root`, "--runroot", `${storage}/run`];
  // Where containers cannot be started, such as within one, steps still run in a changed root.
  const isolation = process.env["BUILDAH_ISOLATION"] ?? "chroot";
  return {
    name: "buildah",
    pull: (tag) => succeeds("buildah", [...own, "pull", "--quiet", "--policy", "always", tag]),
    build: (input) =>
      command("buildah", [
        ...own,
        "build",
        "--layers",
        `--isolation=${isolation}`,
        "--network=host",
        `--timestamp=${input.epochSeconds}`,
        ...buildFlags(input),
      ]),
    tag: (existing, further) => command("buildah", [...own, "tag", existing, further]),
    save: (tag, file) => command("buildah", [...own, "push", tag, `docker-archive:${file}:${tag}`]),
    push: (tag) => command("buildah", [...own, "push", tag]),
    saveIndex: async (name, tags, layout) => {
      const list = `localhost/index-of/${name}`;
      await output("buildah", [...own, "manifest", "rm", list]).catch(() => "");
      await command("buildah", [...own, "manifest", "create", list]);
      for (const tag of tags) await command("buildah", [...own, "manifest", "add", list, `containers-storage:${tag}`]);
      await command("buildah", [...own, "manifest", "push", "--all", "--format", "oci", list, `oci:${layout}:${name}`]);
      // It would name images that the next build replaces.
      await command("buildah", [...own, "manifest", "rm", list]);
    },
  };
}

/** A Docker engine with BuildKit. */
function docker(): Builder {
  return {
    name: "docker",
    // An engine is shared with other uses: an image that it has under an official name is never replaced by a stand-in.
    pull: async (tag) =>
      (await succeeds("docker", ["pull", "--quiet", tag])) || succeeds("docker", ["image", "inspect", tag]),
    build: (input) => command("docker", ["build", "--network", "host", ...buildFlags(input)], { DOCKER_BUILDKIT: "1" }),
    tag: (existing, further) => command("docker", ["tag", existing, further]),
    save: (tag, file) => command("docker", ["save", "--output", file, tag]),
    push: (tag) => command("docker", ["push", "--quiet", tag]),
    saveIndex: () => Promise.reject(new StartupError("An OCI layout needs buildah: --builder buildah.")),
  };
}

/**
 * The chosen builder, else an available one: an engine that answers, then buildah.
 * @throws StartupError if there is none
 */
export async function openBuilder(asked: string | undefined, storage: string | undefined): Promise<Builder> {
  if (asked === "docker" || (asked === undefined && (await succeeds("docker", ["info"])))) return docker();
  if (asked === "buildah" || (asked === undefined && (await succeeds("buildah", ["--version"]))))
    return buildah(storage);
  throw new StartupError(
    asked === undefined
      ? "Images need a Docker engine that runs, or buildah (Debian and Ubuntu: apt-get install buildah)."
      : `There is no builder ${asked}; there are docker and buildah.`,
  );
}

/**
 * Runs a program and shows its output if it fails.
 * @throws StartupError with its last lines
 */
export async function command(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  await output(program, args, environment);
}

/** The same, and answers what it wrote. @throws StartupError with its last lines */
export async function output(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once("error", (cause) =>
      reject(new StartupError(`${program} cannot be started: ${cause.message}`, { cause })),
    );
    child.once("close", (code, signal) => resolve(code ?? signal ?? 1));
  });
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0) return out;
  const said = `${out}\n${errors}`.trim().split("\n").slice(-30).join("\n");
  throw new StartupError(`${program} ${args[0] ?? ""} failed (${code}):\n${said}`);
}

/** Whether a program exists and succeeds. */
export const succeeds = (program: string, args: readonly string[]): Promise<boolean> =>
  output(program, args).then(
    () => true,
    () => false,
  );
