import type { Handlers } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import type { ReportDefinition, ReportPatch } from "@sonde/proto/http/reports";
import type { reportsContract } from "@sonde/proto/rpc/reports";

const at = new Date(Date.UTC(2026, 0, 31, 12)).toISOString();
export const reportToken = "fake-report-token";

/** The only report of the fakes, id 7. */
export const fakeReport = (id: number, { name }: ReportPatch = {}): ReportDefinition => {
  if (id !== 7) throw new AppError("not_found", "Report does not exist");
  return {
    id,
    name: name ?? "Shop",
    targets: [{ type: "monitor", id: 7, name: "Checkout" }],
    every: "week",
    timeZone: "Europe/Berlin",
    language: "en-US",
    recipients: [{ address: "customer@example.com", isConfirmed: true }],
    channelId: 7,
    nextAt: at,
    issues: [
      { period: "2026-W04", from: at, until: at, createdAt: at, sent: 1, link: "/api/reports/7/2026-W04.html?token=t" },
    ],
    createdAt: at,
    updatedAt: at,
  };
};

export const reportHandlers: Handlers<typeof reportsContract> = {
  listReports: async () => ({ reports: [fakeReport(7)], total: 1, publicKey: "-----BEGIN PUBLIC KEY-----\n" }),
  getReport: async ({ id }) => fakeReport(id),
  createReport: async (fields) => fakeReport(7, fields),
  updateReport: async ({ id, ...fields }) => fakeReport(id, fields),
  deleteReport: async ({ id }) => (fakeReport(id), {}),
  sendReport: async ({ id }) => fakeReport(id),
  readReport: async ({ id, period, format, token }) => {
    if (fakeReport(id).issues[0]!.period !== period || ![undefined, reportToken].includes(token))
      throw new AppError("not_found", "Report does not exist");
    return { document: format === "csv" ? "type,id\r\n" : "<!doctype html>\n<p>Shop</p>" };
  },
  recipientLink: async ({ token, confirms }) => {
    if (token !== reportToken) throw new AppError("invalid", "This link is invalid or has expired");
    return { document: confirms ? "<p>Done</p>" : "<p>Really?</p>" };
  },
};
