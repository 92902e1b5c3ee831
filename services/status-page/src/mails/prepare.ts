import { plainLine } from "@sonde/proto/http/text";
import { readTarget } from "@sonde/proto/http/monitors/targets";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import { render } from "../announcements/rendering.ts";
import type { Context } from "../context.ts";
import { keyOf, shownTargets } from "../page/shown.ts";
import type { MailFacts, PreparedFacts } from "./facts.ts";

/**
 * Adds what a mailing needs beside its facts: which of its targets the page shows, and their names. Nothing else of a
 * target gets into a mail. `isComplete`: each of them has a name.
 */
export async function prepare(
  ctx: Pick<Context, "namesOf">,
  config: StatusConfig,
  facts: MailFacts,
): Promise<{ facts: PreparedFacts; isComplete: boolean }> {
  const isShown = new Set(shownTargets(config).map(keyOf));
  const shown = facts.targets.filter((target) => isShown.has(target));
  const known = await ctx.namesOf(config);
  const names = shown.flatMap((target) => {
    const { type, id } = readTarget(target);
    return known.of(type, id) ?? [];
  });
  const text = "text" in facts ? facts.text : "";
  return {
    isComplete: names.length === shown.length,
    facts: {
      ...facts,
      targets: facts.kind === "confirmation" ? facts.targets : shown,
      pageTitle: plainLine(config.title),
      shown,
      names,
      plain: text === "" ? "" : (await import("../announcements/plain-text.ts")).plainText(text),
      html: text === "" ? "" : await render(text),
    },
  };
}
