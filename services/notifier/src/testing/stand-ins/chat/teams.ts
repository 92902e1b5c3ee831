import * as z from "zod";
import { type StandInResponse, type ReceivedRequest, type StandInOptions, startHttpStandIn } from "../stand-in.ts";

const path = "/workflows/8f2e/triggers/manual/paths/invoke?api-version=2016-06-01&sig=s3cret";

const refusal = (status: number, code: string, message: string): StandInResponse => ({
  status,
  body: { error: { code, message } },
});

const action = z.strictObject({ type: z.literal("Action.OpenUrl"), url: z.url(), title: z.string().optional() });
const run = z.strictObject({
  type: z.literal("TextRun"),
  text: z.string(),
  weight: z.enum(["lighter", "default", "bolder"]).optional(),
  size: z.enum(["small", "default", "medium", "large", "extraLarge"]).optional(),
  color: z.enum(["default", "dark", "light", "accent", "good", "warning", "attention"]).optional(),
  isSubtle: z.boolean().optional(),
  selectAction: action.optional(),
});
/** The subset of Adaptive Card 1.4 that Sonde uses. */
const message = z.strictObject({
  type: z.literal("message"),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal("application/vnd.microsoft.card.adaptive"),
      contentUrl: z.null(),
      content: z.strictObject({
        $schema: z.literal("http://adaptivecards.io/schemas/adaptive-card.json"),
        type: z.literal("AdaptiveCard"),
        version: z.literal("1.4"),
        fallbackText: z.string(),
        msteams: z.strictObject({ width: z.literal("Full") }),
        body: z.array(z.strictObject({ type: z.literal("RichTextBlock"), inlines: z.array(run).min(1) })).min(1),
        actions: z.array(action).min(1).optional(),
      }),
    }),
  ]),
});

export const start = (options?: StandInOptions) =>
  startHttpStandIn(
    {
      type: "teams",
      config: (url) => ({ webhookUrl: `${url}${path}` }),
      answer(request, accept) {
        const refused = refusalOf(request);
        if (refused !== undefined) return refused;
        accept();
        return { status: 202 };
      },
      throttle: {
        ...refusal(429, "WorkflowRunActionThrottled", "Rate limit is exceeded"),
        headers: { "retry-after": "11" },
      },
      named: {
        off: refusal(400, "WorkflowTriggerIsNotEnabled", "The workflow trigger is not enabled"),
        gone: refusal(404, "WorkflowNotFound", "The workflow could not be found"),
        failing: refusal(502, "BadGateway", "The server did not receive a response"),
      },
      limits: [{ key: ({ path }) => path, requests: 4, perMs: 1000 }],
    },
    options,
  );

function refusalOf(request: ReceivedRequest): StandInResponse | undefined {
  if (request.query.get("sig") !== "s3cret")
    return refusal(401, "DirectApiAuthorizationRequired", "The request must be authenticated by a signature");
  if (Buffer.byteLength(request.text) > 28 * 1024)
    return refusal(413, "RequestEntityTooLarge", "The request is too large");
  const parsed = message.safeParse(request.json);
  if (parsed.success) return undefined;
  return refusal(400, "TriggerInputSchemaMismatch", JSON.stringify(parsed.error.issues[0]));
}
