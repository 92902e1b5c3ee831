import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { startI18n } from "../app/i18n.ts";
import { ConfirmDialog } from "./dialog.tsx";

it.each([
  ["the message of the error", () => Promise.reject(new Error("Failed to delete monitor")), "Failed to delete monitor"],
  // Libraries may throw values that are not Errors.
  ["a generic text without a message", () => vi.fn().mockRejectedValue("?")() as Promise<void>, "Unknown error"],
])("a failed confirmation shows %s and stays open", async (_what, onConfirm, words) => {
  await startI18n("en-US");
  const onClose = vi.fn();
  render(
    <ConfirmDialog
      open
      onClose={onClose}
      title="Delete"
      description="Cannot be undone"
      confirmLabel="Yes"
      onConfirm={onConfirm}
    />,
  );
  await userEvent.click(screen.getByRole("button", { name: "Yes" }));
  expect((await screen.findByRole("alert")).textContent).toBe(words);
  expect(onClose).not.toHaveBeenCalled();
});
