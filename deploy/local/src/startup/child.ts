import { notifyParent } from "@sonde/kit/service/output";
import { databaseServices, schemaOf } from "@sonde/proto/services";
import { readConfig, warnings } from "../config.ts";
import { closeToOthers } from "../data-dir.ts";
import { describeError } from "../describe-error.ts";
import type { DatabaseUrls } from "../supervisor/processes.ts";

const loadRoles = () => import("@sonde/kit/postgres/roles");
const loadStreams = () => import("./streams.ts");

/** Tasks that need the services' libraries or much memory. */
const tasks = {
  async readConfig() {
    // Preloaded while the supervisor starts the servers.
    void loadRoles();
    void loadStreams();
    return { config: readConfig(), warnings: warnings() };
  },
  closeToOthers,
  async openRoles(adminUrl: string) {
    const { openRoles } = await loadRoles();
    const urls = await openRoles(adminUrl, databaseServices.map(schemaOf));
    return Object.fromEntries(
      databaseServices.map((service) => [service, urls.get(schemaOf(service))]),
    ) as DatabaseUrls;
  },
  makeStreams: async (adminUrl: string) => (await loadStreams()).makeStreams(adminUrl),
};
export type StartupTasks = typeof tasks;
export type StartupRequest = { task: keyof StartupTasks; input: string[] };
export type StartupResponse = { task: keyof StartupTasks } & ({ result: unknown } | { error: string | undefined });

process.once("disconnect", () => process.exit());
process.on("message", async ({ task, input }: StartupRequest) => {
  const run = tasks[task] as (...input: string[]) => Promise<unknown>;
  const response: StartupResponse = await run(...input).then(
    (result) => ({ task, result }),
    (error: unknown) => ({ task, error: describeError(error) }),
  );
  notifyParent(response);
});
