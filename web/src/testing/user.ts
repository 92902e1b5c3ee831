import { screen } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";

/** A user that pastes text, because each typed key would render the page. Keys in braces are pressed. */
export function setupUser(): UserEvent {
  const user = userEvent.setup();
  return {
    ...user,
    async type(element, text) {
      await user.click(element);
      for (const part of text.match(/\{\{|\[\[|\{[^{}]*\}|[^{[]+/g) ?? []) {
        if (/^\{.+\}$/.test(part)) await user.keyboard(part);
        else await user.paste(part.replace(/^(?:\{\{|\[\[)$/, (escaped) => escaped.charAt(0)));
      }
    },
  };
}

/** Chooses a kind of check in the form of a new monitor. */
export async function chooseKind(user: UserEvent, name: string) {
  await user.click(await screen.findByRole("combobox", { name: "Monitor type" }));
  await user.click(screen.getByRole("option", { name }));
}
