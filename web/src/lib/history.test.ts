import { beforeEach, describe, expect, it, vi } from "vitest";
import { type AppHistory, createAppHistory, type Held } from "./history.ts";

let history: AppHistory;
const path = () => history.snapshot().location.pathname;

beforeEach(() => {
  window.history.pushState(null, "", "/start");
  history = createAppHistory(window);
});

describe("the app's history", () => {
  it("pushes and replaces, keeps state, and tells who listens", () => {
    const heard = vi.fn();
    const stop = history.listen(heard);
    history.push("/a?x=1#y", { from: "/start" });
    expect(history.snapshot().location).toMatchObject({
      pathname: "/a",
      search: "?x=1",
      hash: "#y",
      state: { from: "/start" },
    });
    expect(location.pathname + location.search + location.hash).toBe("/a?x=1#y");
    history.replace({ search: "?x=2" });
    expect(path()).toBe("/a");
    expect(location.search).toBe("?x=2");
    stop();
    history.push("/b");
    expect(heard).toHaveBeenCalledTimes(2);
  });

  it("follows the browser's back button, with the state of that entry", async () => {
    history.push("/a", "kept");
    history.push("/b");
    history.go(-1);
    await vi.waitFor(() => expect(path()).toBe("/a"));
    expect(history.snapshot()).toMatchObject({ action: "POP", location: { state: "kept" } });
  });

  it("holds a navigation to another page or query back until it is let go; the same address is no leaving", () => {
    let held: Held | null = null;
    history.block((next) => void (held = next));
    history.push("/start#part");
    expect(held).toBeNull();
    history.replace("/start?type=slack");
    expect(held).toBeNull();
    expect(location.search).toBe("?type=slack");
    history.push("/start?tab=other");
    expect(location.search).toBe("?type=slack");
    (held as Held | null)?.proceed();
    expect(location.search).toBe("?tab=other");
    history.block((next) => void (held = next));
    history.push("/away");
    expect(path()).toBe("/start");
    expect(location.pathname).toBe("/start");
    (held as Held | null)?.proceed();
    expect(path()).toBe("/away");
  });

  it("takes a step back of the browser back, and makes it when it is let go", async () => {
    history.push("/form");
    let held: Held | null = null;
    history.block((next) => void (held = next));
    history.go(-1);
    await vi.waitFor(() => expect(held).not.toBeNull());
    await vi.waitFor(() => expect(location.pathname).toBe("/form"));
    expect(path()).toBe("/form");
    (held as Held | null)?.proceed();
    await vi.waitFor(() => expect(path()).toBe("/start"));
  });

  it("lets everything pass once the blocker is gone", () => {
    const unblock = history.block(() => expect.unreachable());
    unblock();
    history.push("/away");
    expect(path()).toBe("/away");
  });
});
