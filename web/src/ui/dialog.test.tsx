import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { startI18n } from "../app/i18n.ts";
import { ConfirmDialog } from "./dialog.tsx";

it.each([
  ["the words of what failed", () => Promise.reject(new Error("Failed to delete monitor")), "Failed to delete monitor"],
  // What is thrown here is no Error, as a library may do it.
  ["that it does not know why", () => vi.fn().mockRejectedValue("?")() as Promise<void>, "Unknown error"],
])("a question that cannot be answered with yes says %s, and stays open", async (_what, onConfirm, words) => {
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
