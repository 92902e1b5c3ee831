import type { loginAnswer, LoginInput, messageAnswer, RegisterInput } from "@sonde/proto/http/auth";
import type { FactorDemand } from "@sonde/proto/http/factors";
import type { ReactNode } from "react";
import { type AnswerOf, api } from "../../app/api.ts";
import type { LoginState } from "../../app/guards.tsx";
import { Logo } from "../../ui/logo.tsx";
import { usePageTitle } from "../../ui/page-header.tsx";

const authApi = api.injectEndpoints({
  endpoints: (build) => ({
    login: build.mutation<AnswerOf<typeof loginAnswer>, LoginInput>({
      query: (body) => ({ url: "/auth/login", method: "POST", body }),
      extraOptions: { keepSessionOn401: true },
    }),
    register: build.mutation<AnswerOf<typeof messageAnswer>, RegisterInput>({
      query: (body) => ({ url: "/auth/register", method: "POST", body }),
      // A registration may have created the first account.
      invalidatesTags: (_result, error) => (error === undefined ? ["Config"] : []),
    }),
  }),
});

export const { useLoginMutation, useRegisterMutation } = authApi;

/** `notice`: message of a registration. `demand`: the login needs a second factor. */
export type LoginLocation = (LoginState & { notice?: string; demand?: FactorDemand }) | null;

type AuthCardProps = { title: string; note?: ReactNode; footer?: ReactNode; children: ReactNode };

export function AuthCard({ title, note, footer, children }: AuthCardProps) {
  usePageTitle(title);
  return (
    <div className="mx-auto flex w-full max-w-96 flex-col items-center gap-5 py-6 md:py-12">
      <Logo bare className="text-2xl" />
      <div className="text-center">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {note !== undefined && <p className="mt-1 text-muted">{note}</p>}
      </div>
      <div className="w-full rounded-lg border border-line bg-surface p-5">{children}</div>
      {footer !== undefined && <p className="text-muted">{footer}</p>}
    </div>
  );
}
