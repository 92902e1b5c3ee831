import { createSlice, type PayloadAction } from "@reduxjs/toolkit";

export const liveStatuses = ["off", "connecting", "connected", "lost"] as const;
export type LiveStatus = (typeof liveStatuses)[number];

const slice = createSlice({
  name: "live",
  initialState: { status: "off" as LiveStatus },
  reducers: {
    liveStatusChanged: (state, { payload }: PayloadAction<LiveStatus>) => {
      state.status = payload;
    },
  },
});

export const liveReducer = slice.reducer;
export const { liveStatusChanged } = slice.actions;
