import { language, scriptWords } from "./page.ts";

/**
 * Submits the subscription form without leaving the page. If that fails, and on all pages except the default one, the
 * browser submits it.
 */
export function watchSubscribe(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (form.closest("#subscribe") === null || new URL(form.action).pathname !== "/status/subscribe") return;
    event.preventDefault();
    void send(form);
  });
}

async function send(form: HTMLFormElement): Promise<void> {
  const fields = new FormData(form);
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]")!;
  const services = fields.getAll("services").map(String);
  const email = form.querySelector<HTMLInputElement>("input[type=email]")!.value;
  const body = { email, ...(services.length > 0 ? { services } : {}) };
  showResult(form, scriptWords().subscribing, "sending");
  button.disabled = true;
  try {
    const answer = await fetch(new URL("../api/status/subscribers", import.meta.url), {
      method: "POST",
      headers: { "content-type": "application/json", "accept-language": language() },
      body: JSON.stringify(body),
    });
    const { message } = (await answer.json()) as { message?: string };
    showResult(form, message ?? scriptWords().subscribeFailed, answer.ok ? "done" : "failed");
    if (answer.ok) form.reset();
  } catch {
    form.submit();
  } finally {
    button.disabled = false;
  }
}

function showResult(form: HTMLFormElement, text: string, state: "sending" | "done" | "failed"): void {
  const answer = form.querySelector<HTMLElement>("#subscribe-answer")!;
  answer.dataset["state"] = state;
  answer.textContent = text;
}
