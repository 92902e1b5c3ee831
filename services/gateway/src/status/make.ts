import type { PublicStatus } from "@sonde/proto/http/status";
import type { PageSnapshot } from "@sonde/proto/http/status-snapshot";
import { makeFeed } from "./feed.ts";
import {
  type PageInput,
  renderConfirm,
  renderEmbed,
  renderHistory,
  renderIncident,
  renderNotice,
  renderStatus,
  renderUnsubscribe,
} from "./page/render.ts";
import type { Wanted, WantedOnce } from "./wanted.ts";
import { servingWords } from "./words/serving.ts";

/** What all documents of one installation are made with. */
export type Around = Pick<PageInput, "publicUrl" | "assets" | "nowMs">;

/** Writes a document; null where the page does not show what it is about. */
export async function makeText(
  wanted: Wanted | WantedOnce,
  snapshot: PageSnapshot,
  status: PublicStatus,
  around: Around,
): Promise<string | null> {
  if (wanted.kind === "json") return JSON.stringify({ success: true, status });
  const { page } = snapshot;
  const { language } = wanted;
  const input: PageInput = { ...around, status, page, language };
  switch (wanted.kind) {
    case "page":
      return renderStatus(input);
    case "preview":
      return renderStatus({ ...input, isPreview: true });
    case "history":
      return renderHistory(input);
    case "embed":
      return renderEmbed(input);
    case "missing":
      return renderNotice(input, servingWords[language].missing);
    case "incident": {
      const incident = status.incidents.find(({ id }) => id === wanted.id);
      return incident === undefined ? null : renderIncident(input, incident);
    }
    case "feed":
      return makeFeed({ snapshot, language, publicUrl: around.publicUrl });
    case "badge": {
      const monitor = status.monitors.find(({ id }) => id === wanted.id);
      if (monitor === undefined) return null;
      // How wide letters are takes 5 MiB of memory: for those alone who ask for badges.
      const { makeStatusBadge } = await import("./badges.ts");
      return makeStatusBadge(wanted.of, monitor, page, language);
    }
    case "notice":
      return renderNotice(input, wanted);
    case "confirm":
      return renderConfirm(input, wanted.token);
    case "unsubscribe":
      return renderUnsubscribe(input, wanted.token);
    default:
      return wanted satisfies never;
  }
}
