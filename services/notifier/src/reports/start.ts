import type { Handlers } from "@sonde/kit/bus/rpc";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { reportsContract } from "@sonde/proto/rpc/reports";
import type { ReportContext } from "./context.ts";
import { makeDue } from "./make.ts";
import { recipientLink } from "./recipients.ts";
import { createReport, getReport, listReports, readReport, removeReport, sendNow, updateReport } from "./reports.ts";

/** Makes due reports beside the tick that starts it, since that must not wait for other services. */
export function createReports(ctx: ReportContext): Service & { makeDue(): void } {
  let stopped = false;
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      while (!stopped && (await makeDue(ctx)) > 0);
    } catch (err) {
      ctx.log.warn({ err }, "making due reports failed");
    }
    running = undefined;
  };
  return {
    makeDue: () => void (running ??= run()),
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}

export const reportEndpoints = (ctx: ReportContext): Handlers<typeof reportsContract> => ({
  listReports: (input) => orUnavailable(() => listReports(ctx, input)),
  getReport: ({ id }) => orUnavailable(() => getReport(ctx, id)),
  createReport: (input) => orUnavailable(() => createReport(ctx, input)),
  updateReport: ({ id, ...patch }) => orUnavailable(() => updateReport(ctx, id, patch)),
  deleteReport: ({ id }) => orUnavailable(() => removeReport(ctx, id)).then(() => ({})),
  sendReport: (input) => orUnavailable(() => sendNow(ctx, input)),
  readReport: (input) => orUnavailable(() => readReport(ctx, input)),
  recipientLink: (input) => orUnavailable(() => recipientLink(ctx, input)),
});
