import type { PageLanguage } from "@sonde/proto/http/status/documents";
import type { PageSnapshot, PageStates } from "@sonde/proto/http/status/snapshot";
import { joinStatus } from "../render/documents.ts";
import * as render from "../render/render.ts";
import { demoNowMs, demoSnapshot, demoStates } from "./demo-status.ts";

export type DemoOptions = {
  snapshot?: PageSnapshot;
  states?: PageStates;
  language?: PageLanguage;
  nowMs?: number;
  publicUrl?: string | null;
  isPreview?: boolean;
};

export function demoInput({
  snapshot = demoSnapshot,
  states = demoStates,
  nowMs = demoNowMs,
  language = "en-US",
  publicUrl = null,
  isPreview,
}: DemoOptions = {}): render.PageInput {
  return {
    status: joinStatus(snapshot, states, nowMs),
    page: snapshot.page,
    language,
    publicUrl,
    nowMs,
    isPreview,
  };
}

export function demoDocuments(options: DemoOptions = {}): Map<string, () => string> {
  const input = demoInput(options);
  return new Map([
    ["/status", () => render.renderStatus(input)],
    ["/status/history", () => render.renderHistory(input)],
    ["/status/embed", () => render.renderEmbed(input)],
    ["/status/confirm", () => render.renderConfirm(input, "a-token")],
    ["/status/unsubscribe", () => render.renderUnsubscribe(input, "a-token")],
    ["/status/notice", () => render.renderNotice(input, { title: "Thank you", text: "Look into your mail." })],
    ...input.status.incidents.map(
      (incident) => [`/status/incidents/${incident.id}`, () => render.renderIncident(input, incident)] as const,
    ),
  ]);
}
