import { fakeClock } from "@sonde/kit/time/clock";
import { templateKinds } from "@sonde/proto/http/incidents/alerts";
import { notificationsContract } from "@sonde/proto/rpc/notifications";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { openTestContext } from "../testing/context.ts";
import { previewTemplate, createTemplate, listTemplates, removeTemplate, updateTemplate } from "./templates.ts";

let ctx: Context;
const clock = fakeClock();
beforeAll(async () => void (ctx = await openTestContext(clock)));
beforeEach(() => ctx.db("templates").delete());
afterAll(() => ctx.db.destroy());

const input = { name: "Short", kind: "down", subject: "{{name}}", content: "{{error}} {{ note }}" } as const;

test("a template can be created, changed in part, listed and removed", async () => {
  const made = await createTemplate(ctx, input);
  expect(made).toMatchObject({ ...input, createdAt: new Date(clock.now()).toISOString() });
  clock.advance(1000);
  const changed = await updateTemplate(ctx, made.id, { content: "{{status}}", name: undefined });
  expect(changed).toEqual({ ...made, content: "{{status}}", updatedAt: new Date(clock.now()).toISOString() });
  expect(await listTemplates(ctx)).toEqual([changed]);
  await removeTemplate(ctx, made.id);
  expect(await listTemplates(ctx)).toEqual([]);
  await expect(removeTemplate(ctx, made.id)).rejects.toMatchObject({ code: "not_found" });
  await expect(updateTemplate(ctx, made.id, {})).rejects.toMatchObject({ code: "not_found" });
});

test.each([
  ["an unknown variable", { content: "{{name}} {{password}}" }, "content"],
  ["one in the subject", { subject: "{{constructor}}" }, "subject"],
  ["an unknown kind", { kind: "test" }, "kind"],
  ["an empty name", { name: " " }, "name"],
])("rejects %s with its path", (_what, wrong, path) => {
  for (const [method, given] of [
    ["createTemplate", { ...input, ...wrong }],
    ["updateTemplate", { id: 1, ...wrong }],
  ] as const) {
    const { error } = notificationsContract.methods[method].input.safeParse(given);
    expect(error?.issues.map((issue) => issue.path)).toEqual([[path]]);
  }
});

test("a preview rejects what could not be saved", () => {
  const { input: schema } = notificationsContract.methods.previewTemplate;
  for (const wrong of [
    { content: "{{password}}" },
    { subject: "{{constructor}}" },
    { kind: "test" },
    { language: "fr" },
  ])
    expect(schema.safeParse({ kind: "down", ...wrong }).success).toBe(false);
});

test("limits templates to 100, also for concurrent requests", async () => {
  const rows = Array.from({ length: 98 }, () => ({ ...input, createdAtMs: 1, updatedAtMs: 1 }));
  await ctx.db("templates").insert(rows);
  const made = await Promise.allSettled(Array.from({ length: 6 }, () => createTemplate(ctx, input)));
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  const refused = made.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  for (const reason of refused) expect(reason).toMatchObject({ code: "impossible", params: { max: 100 } });
});

test("removing a template removes it from settings, and no other", async () => {
  const [gone, kept] = [await createTemplate(ctx, input), await createTemplate(ctx, input)];
  const rows = [gone, kept].map(({ id }, index) => ({
    scope: "monitor",
    targetId: index,
    value: { enabled: true, templateId: id },
    revision: 1,
  }));
  await ctx.db("settings").insert(rows);
  await removeTemplate(ctx, gone.id);
  const values = await ctx.db("settings").orderBy("target_id").pluck("value");
  expect(values).toEqual([{ enabled: true }, { enabled: true, templateId: kept.id }]);
});

test("a preview is filled with sample values, in both languages", () => {
  const { preview: shown } = previewTemplate(ctx, {
    kind: "threshold",
    subject: "{{metric}}",
    content: "{{value}}/{{threshold}}",
  });
  expect(shown).toMatchObject({ subject: "CPU 使用率", content: "97%/90%" });
  const { preview: english } = previewTemplate(ctx, {
    kind: "recovery",
    content: "{{incidentUrl}}",
    language: "en-US",
  });
  expect(english).toMatchObject({
    subject: "Example shop is up again",
    content: expect.stringContaining("https://sonde.example.com/incidents/"),
  });
});

test.each(templateKinds)("the built-in texts of %s are a valid template", async (kind) => {
  for (const language of ["en-US", "zh-CN"] as const) {
    const { builtIn, preview } = previewTemplate(ctx, { kind, language });
    expect(await createTemplate(ctx, { name: kind, kind, ...builtIn })).toMatchObject(builtIn);
    // The texts of an error budget name the service level instead of the target.
    const named = { burning: "{{error}}", calm: "{{metric}}" } as Partial<Record<typeof kind, string>>;
    expect(builtIn.subject).toContain(named[kind] ?? "{{name}}");
    expect(`${preview.subject} ${preview.content}`).not.toContain("{{");
    expect(previewTemplate(ctx, { kind, language, ...builtIn })).toMatchObject({ preview });
  }
});
