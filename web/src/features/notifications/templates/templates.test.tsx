import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, viewer } from "../../../testing/fixtures.ts";
import { template } from "../../../testing/notifications.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

type Asked = { kind: string; subject?: string; content?: string; language: string };
let asked: Asked[];
let sent: unknown[];

const serve = (templates = [template]) => on("get", "/notifications/templates", () => ok({ templates } as never));
beforeEach(() => {
  asked = [];
  sent = [];
  serve();
  on("post", "/notifications/templates/preview", async ({ request }) => {
    const body = (await request.json()) as Asked;
    asked.push(body);
    const subject = (body.subject ?? "built in").replace("{{name}}", "Example shop");
    const content = `${body.language}: ${body.content ?? "built in"}`;
    return ok({
      preview: { subject, content },
      builtIn: { subject: "Sonde: {{name}}", content: `{{error}} (${body.kind}, ${body.language})` },
    } as never);
  });
});
function takeCreated() {
  on("post", "/notifications/templates", async ({ request }) => {
    sent.push(await request.json());
    return ok({ template } as never, "Notification template created");
  });
}
async function openCreate() {
  const app = await renderScreen("/notifications/templates/create", { as: admin });
  await screen.findByRole("heading", { name: "Add template" });
  const field = (label: string) => screen.getByLabelText<HTMLTextAreaElement>(new RegExp(`^${label}`));
  return { ...app, field };
}

describe("the templates", () => {
  it("are listed with their kind and subject", async () => {
    await renderScreen("/notifications/templates", { as: admin });
    const row = (await screen.findByRole("link", { name: "Short" })).closest("li") as HTMLElement;
    expect(row.textContent).toContain("Down");
    expect(row.textContent).toContain("{{name}} is down");
  });

  it("explain their purpose if there are none", async () => {
    serve([]);
    await renderScreen("/notifications/templates", { as: admin });
    expect(await screen.findByText("No templates yet")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Add template" }).getAttribute("href")).toBe(
      "/notifications/templates/create",
    );
  });

  it("are deleted after a confirmation", async () => {
    on("delete", "/notifications/templates/5", () => {
      serve([]);
      return ok({}, "Notification template deleted");
    });
    const { user } = await renderScreen("/notifications/templates", { as: admin });
    await user.click(await screen.findByRole("button", { name: "Delete: Short" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Notification template deleted")).toBeTruthy();
  });

  it("are read-only for viewers", async () => {
    const { user } = await renderScreen("/notifications/templates", { as: viewer });
    expect(screen.queryByRole("button", { name: "Delete: Short" })).toBeNull();
    await user.click(await screen.findByRole("link", { name: "Short" }));
    expect((await screen.findByLabelText(/^Subject/)).matches(":disabled")).toBe(true);
    expect(asked).toEqual([]);
  });
});

describe("writing a template", () => {
  it("shows a live preview in either language", async () => {
    const { user, field } = await openCreate();
    const write = (label: string, text: string) => {
      // Without delays between letters, so that the test does not depend on the machine's speed.
      for (let length = 1; length <= text.length; length += 1) {
        fireEvent.change(field(label), { target: { value: text.slice(0, length) } });
      }
    };
    write("Subject", "{{name}} fell");
    write("Content", "Look");
    expect(await screen.findByText("Example shop fell")).toBeTruthy();
    expect(screen.getByText("en-US: Look")).toBeTruthy();
    // Debounced: not one request per letter.
    expect(asked.length).toBeLessThan(5);
    await user.click(screen.getByRole("radio", { name: "中文" }));
    expect(await screen.findByText("zh-CN: Look")).toBeTruthy();
  });

  it("completes variables after two braces by keyboard", async () => {
    const { user, field } = await openCreate();
    const content = field("Content");
    await user.type(content, "It was {{{{sta");
    const list = await screen.findByRole("listbox", { name: "Variables to insert" });
    expect(
      within(list)
        .getAllByRole("option")
        .map(({ textContent }) => textContent),
    ).toEqual(["statusCurrent status", "statusCodeStatus code of the response"]);
    expect(content.getAttribute("aria-activedescendant")).toBe(within(list).getByRole("option", { selected: true }).id);
    await user.keyboard("{ArrowDown}{Enter}");
    expect(content.value).toBe("It was {{statusCode}}");
    expect(screen.queryByRole("listbox")).toBeNull();
    await waitFor(() => expect(document.activeElement).toBe(content));
    await user.type(content, " {{{{");
    await screen.findByRole("listbox");
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("listbox")).toBeNull();
    await user.keyboard("{Enter}");
    expect(content.value).toBe("It was {{statusCode}} {{\n");
  });

  it("inserts a variable by its button into the last focused field", async () => {
    const { user, field } = await openCreate();
    await user.type(field("Subject"), "Down: ");
    await user.click(screen.getByRole("button", { name: "Insert name" }));
    expect(field("Subject").value).toBe("Down: {{name}}");
  });

  it("starts with the built-in text of its kind, and asks before replacing changes", async () => {
    const { user, field } = await openCreate();
    await user.selectOptions(screen.getByLabelText("Message type"), "threshold");
    await user.click(screen.getByRole("button", { name: "Start from the built-in text" }));
    await waitFor(() => expect(field("Subject").value).toBe("Sonde: {{name}}"));
    expect(field("Content").value).toBe("{{error}} (threshold, en-US)");
    await user.selectOptions(screen.getByLabelText("Message type"), "down");
    await user.click(screen.getByRole("button", { name: "Start from the built-in text" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Replace" }));
    await waitFor(() => expect(field("Content").value).toBe("{{error}} (down, en-US)"));
  });

  it("reports an unknown variable at once and next to the field, without a request", async () => {
    takeCreated();
    const { user, field } = await openCreate();
    await user.type(field("Name"), "Mine");
    await user.type(field("Subject"), "{{{{nmae}}");
    await user.type(field("Content"), "x");
    expect((await screen.findByRole("alert")).textContent).toBe("There is no variable named nmae");
    await user.click(screen.getByRole("button", { name: "Add template" }));
    await waitFor(() => expect(field("Subject").getAttribute("aria-invalid")).toBe("true"));
    expect(sent).toEqual([]);
  });

  it("saves and returns to the list", async () => {
    takeCreated();
    const { user, field, path } = await openCreate();
    await user.type(field("Name"), "Mine");
    await user.type(field("Subject"), "{{{{name}}");
    await user.type(field("Content"), "{{{{error}}");
    await user.click(screen.getByRole("button", { name: "Add template" }));
    await waitFor(() => expect(path()).toBe("/notifications/templates"));
    expect(await screen.findByText("Notification template created")).toBeTruthy();
    expect(sent).toEqual([{ name: "Mine", kind: "down", subject: "{{name}}", content: "{{error}}" }]);
  });

  it.each([
    ["the fallback", () => new HttpResponse(null, { status: 500 }), "Failed to save the template"],
    [
      "the server's error of a field",
      () =>
        fail(400, "invalid", "The request is not valid", [
          { path: "content", message: "There is no variable named x" },
        ]),
      "There is no variable named x",
    ],
  ])("shows %s and keeps the input", async (_what, answer, words) => {
    on("put", "/notifications/templates/5", answer);
    const { user } = await renderScreen("/notifications/templates/edit/5", { as: admin });
    await user.type(await screen.findByLabelText(/^Name/), " 2");
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    expect(await screen.findByText(words)).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("Short 2");
  });

  it("reports a failed preview", async () => {
    on("post", "/notifications/templates/preview", () => new HttpResponse(null, { status: 500 }));
    await renderScreen("/notifications/templates/edit/5", { as: admin });
    expect(await screen.findByText("Couldn't render the preview")).toBeTruthy();
  });
});
