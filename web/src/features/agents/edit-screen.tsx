import type { Agent } from "@sonde/proto/http/agents";
import { agentName } from "@sonde/proto/http/agents";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router-dom";
import { z } from "zod";
import { errorText, fieldErrorsOf, statusOf } from "../../app/errors.ts";
import { currentLanguage } from "../../app/language.ts";
import { paths } from "../../app/paths.ts";
import { faultsIn, resolveFaults } from "../../lib/form-faults.ts";
import { placeFaults } from "../../lib/server-faults.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/inputs.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { useAgentQuery, useRenameAgentMutation } from "./api.ts";
import { MissingAgent } from "./missing.tsx";
import { RegisterAgain } from "./register-again.tsx";

export default function EditScreen() {
  const { t } = useTranslation();
  const id = Number(useParams()["id"]);
  const known = Number.isInteger(id) && id > 0;
  const { data, error, isFetching, refetch } = useAgentQuery(id, { skip: !known, refetchOnMountOrArgChange: true });
  const missing = !known || statusOf(error) === 404;
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t("agentEdit.title")} description={missing ? undefined : data?.agent.hostname} />
      {missing ? (
        <MissingAgent />
      ) : data !== undefined ? (
        <div className="flex flex-col gap-4">
          <EditForm key={id} agent={data.agent} />
          <RegisterAgain key={`again ${id}`} agent={data.agent} />
        </div>
      ) : error === undefined ? (
        <Skeleton className="h-48 w-full" />
      ) : (
        <Card>
          <ErrorState message={errorText(error, "fetchAgents")} onRetry={() => void refetch()} retrying={isFetching} />
        </Card>
      )}
    </div>
  );
}

const values = z.object({ name: agentName });

function EditForm({ agent: { id, name } }: { agent: Agent }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [rename] = useRenameAgentMutation();
  const [error, setError] = useState<string | null>(null);
  // Where to go once saved: there is nothing left to lose, so the guard is lifted first.
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => leave?.(), [leave]);
  const form = useForm<z.infer<typeof values>>({
    defaultValues: { name },
    resolver: resolveFaults((typed) => faultsIn(values, typed), currentLanguage),
  });
  const { isDirty, isSubmitting, errors } = form.formState;
  const submit = form.handleSubmit(async (typed) => {
    setError(null);
    const answer = await rename({ id, name: typed.name.trim() });
    if (answer.error !== undefined) {
      const rest = placeFaults(form, ["name"], fieldErrorsOf(answer.error));
      setError([errorText(answer.error, "updateAgent"), ...rest].join(" · "));
      return;
    }
    const notice = answer.data.message ?? t("agentEdit.success");
    setLeave(() => () => void navigate(paths.agent(id), { state: { notice } }));
  });
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Card>
        <div className="flex flex-col gap-4">
          {error !== null && <Alert kind="error">{error}</Alert>}
          <Field label={t("agentEdit.name")} hint={t("agentEdit.hint")} error={errors.name?.message} required>
            {(ids) => <Input {...ids} {...form.register("name")} autoComplete="off" />}
          </Field>
          <div className="flex justify-end gap-2">
            <ButtonLink to={paths.agent(id)}>{t("common.cancel")}</ButtonLink>
            <Button
              type="submit"
              variant="primary"
              saving={isSubmitting || leave !== null}
              savingLabel={t("agentEdit.saving")}
            >
              {t("agentEdit.submit")}
            </Button>
          </div>
        </div>
      </Card>
      <UnsavedGuard unsaved={isDirty && leave === null} />
    </form>
  );
}
