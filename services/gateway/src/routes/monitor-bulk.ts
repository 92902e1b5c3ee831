import type { AskOptions } from "@sonde/kit/bus/rpc";
import { AppError, toAppError } from "@sonde/kit/errors";
import { isMessage, type Language, translate } from "@sonde/proto/http/messages";
import { bulkAnswer, bulkInput, mostMatched } from "@sonde/proto/http/monitors/lists";
import type { z } from "zod";
import { route } from "../route.ts";
import { type Services, timeouts } from "../services.ts";
import { isId } from "../validate.ts";

type Input = z.output<typeof bulkInput>;
type BulkResult = { done: number[]; failed: { id: number; message: string }[] };
type Asking = { services: Pick<Services, "monitors">; ask: AskOptions; language: Language };

/** How many are changed by one question to `monitors`. */
const chunkIds = 500;

export const monitorBulkRoutes = [
  route({
    method: "POST",
    path: "/api/monitors/bulk",
    who: "write",
    summary: "Pause, resume or delete many monitors",
    description:
      "By ids, or all that match a filter. Each is changed for itself: those that could not be are in `failed` with the reason. Changes by a filter take up to a minute, one at a time for each user, else 429.",
    body: bulkInput,
    refusals: ["conflict", "impossible", "too_many"],
    answer: bulkAnswer,
    handle: async ({ services, body, ctx, ask, session, bulkChanges }) => {
      const { ids } = body;
      const { language } = ctx.state;
      const asking = { services, ask, language };
      const answer =
        ids === undefined
          ? await bulkChanges.run(session.userId, () => changeMatching(asking, body))
          : await changeNamed(asking, ids, body);
      return inWords(answer, language);
    },
  }),
];

async function changeNamed(asking: Asking, ids: readonly number[], { action }: Input): Promise<BulkResult> {
  const { done, failed } = await change(asking, [...new Set(ids.filter(isId))], action);
  const impossible = ids.filter((id) => !isId(id)).map((id) => ({ id, message: "Monitor does not exist" }));
  return { done, failed: [...failed, ...impossible] };
}

/** Which match is settled first: a change may make others match. @throws AppError conflict, impossible, unavailable */
async function changeMatching(asking: Asking, { filter = {}, action, atMost }: Input): Promise<BulkResult> {
  const { services, ask } = asking;
  const { ids, total } = await services.monitors.matchMonitors({ ...filter, limit: mostMatched }, ask);
  if (total > mostMatched) {
    const params = { count: total, max: mostMatched };
    throw new AppError("impossible", "{count} monitors match, and at most {max} can be changed at once", { params });
  }
  if (atMost !== undefined && total > atMost) {
    const params = { count: total };
    throw new AppError("conflict", "{count} monitors match by now: look at the list again", { params });
  }
  const answer: BulkResult = { done: [], failed: [] };
  for (let first = 0; first < ids.length; first += chunkIds) {
    try {
      const { done, failed } = await change(asking, ids.slice(first, first + chunkIds), action);
      answer.done.push(...done);
      answer.failed.push(...failed);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (first === 0 || error.code === "internal") throw thrown;
      // Some are changed: the response lists which, and why the others are not.
      const message = translate(error.key, asking.language, error.params);
      answer.failed.push(...ids.slice(first).map((id) => ({ id, message })));
      break;
    }
  }
  return answer;
}

const change = ({ services, ask }: Asking, ids: number[], action: Input["action"]): Promise<BulkResult> =>
  services.monitors.bulkMonitors({ ids, action }, { ...ask, timeoutMs: timeouts.bulkMs });

function inWords({ done, failed }: BulkResult, language: Language): BulkResult {
  const words = (message: string) => (isMessage(message) ? translate(message, language) : message);
  return { done, failed: failed.map(({ id, message }) => ({ id, message: words(message) })) };
}
