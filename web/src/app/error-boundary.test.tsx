import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse } from "msw";
import { Provider } from "react-redux";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { config } from "../testing/fixtures.ts";
import { ok, on } from "../testing/server.ts";
import { Crash } from "./error-boundary.tsx";
import { startI18n } from "./i18n.ts";
import { liveStatusChanged, createStore } from "./store.ts";

let store: ReturnType<typeof createStore>;
let reload: () => void;

beforeEach(async () => {
  await startI18n("en-US");
  store = createStore();
  reload = vi.fn();
});

function draw() {
  render(
    <Provider store={store}>
      <Crash reload={reload} />
    </Provider>,
  );
}
const title = () => screen.getByRole("alert").textContent;

describe("a page that failed to load", () => {
  it("reports that the browser is offline, and loads when it is online again", () => {
    const online = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    draw();
    expect(title()).toBe("You're offline");
    expect(screen.queryByText(/updated/)).toBeNull();
    expect(reload).not.toHaveBeenCalled();
    online.mockReturnValue(true);
    act(() => void window.dispatchEvent(new Event("online")));
    expect(reload).toHaveBeenCalledOnce();
  });

  it("reports that the server is unavailable", () => {
    store.dispatch(liveStatusChanged("lost"));
    draw();
    expect(title()).toBe("Can't reach the Sonde server");
    act(() => void store.dispatch(liveStatusChanged("connected")));
    expect(reload).toHaveBeenCalledOnce();
  });

  it("checks the server if the live connection has not failed yet", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    on("get", "/config", () => HttpResponse.error());
    draw();
    await waitFor(() => expect(title()).toBe("Can't reach the Sonde server"));
    expect(reload).not.toHaveBeenCalled();
    on("get", "/config", () => ok({ ...config }));
    await vi.advanceTimersByTimeAsync(3000);
    await waitFor(() => expect(reload).toHaveBeenCalledOnce());
    vi.useRealTimers();
  });

  it("offers a reload if the server is available, but does not reload automatically", async () => {
    store.dispatch(liveStatusChanged("connected"));
    draw();
    expect(title()).toBe("Something went wrong");
    act(() => void store.dispatch(liveStatusChanged("connecting")));
    expect(reload).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole("button", { name: "Reload page" }));
    expect(reload).toHaveBeenCalledOnce();
  });
});
