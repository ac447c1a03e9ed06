import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { JobFields } from '../../product/job/job-fields.js';
import { JobSettings } from '../../product/job/job-settings.js';
import { ControlField } from '../../shell/control-field.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { Button, Field, Input, Select, toast, type UndoOffer, useUndo } from '../../ui/index.js';
import {
  bodyOf,
  changesOf,
  MISSED_OPTIONS,
  newValues,
  OVERLAP_OPTIONS,
  type ScheduleValues,
  valuesOf,
} from './model.js';
import { type Schedule, useChangeSchedule, useCreateSchedule } from './queries.js';
import { TimingFields } from './timing.js';

const DESCRIPTION = 'At each planned time, one job with this type and payload is submitted.';

/** Creates a schedule and opens its details. The draft is kept until it is sent or discarded. */
export function NewSchedule({ onClose }: { onClose: () => void }) {
  const create = useCreateSchedule();
  const navigate = useNavigate();
  const [empty] = useState(newValues);
  const { form, isDirty, discard, finish } = useDraftForm<ScheduleValues>('schedule', empty);
  const undo = useUndo();
  return (
    <FormDialog
      side="right"
      title="New schedule"
      description={DESCRIPTION}
      action="Create schedule"
      form={form}
      aside={
        isDirty && (
          <Button variant="ghost" className="mr-auto" onClick={() => undo.offer('The draft is discarded', discard())}>
            Discard draft
          </Button>
        )
      }
      onClose={onClose}
      onSubmit={async (values) => {
        const { id } = await create(bodyOf(values));
        void navigate({ to: '/schedules', search: { id }, replace: true });
        finish(values);
        onClose();
      }}
    >
      <Fields form={form} undo={undo} />
    </FormDialog>
  );
}

export function EditSchedule({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const change = useChangeSchedule();
  // A refetch while the form is open must not change what the user's input is compared with.
  const [initial] = useState(() => valuesOf(schedule));
  const form = useForm<ScheduleValues>({ defaultValues: initial });
  const undo = useUndo();
  return (
    <FormDialog
      side="right"
      // Escape or a click outside must not discard what was typed.
      dismissable={!form.formState.isDirty}
      title={`Edit ${schedule.name}`}
      description={DESCRIPTION}
      action="Save"
      form={form}
      onClose={onClose}
      onSubmit={async (values) => {
        const changes = changesOf(initial, values);
        if (Object.keys(changes).length > 0) await change(schedule.id, changes);
        toast.success(`${values.name} is saved`);
        onClose();
      }}
    >
      <Fields form={form} undo={undo} />
    </FormDialog>
  );
}

function Fields({ form, undo }: { form: UseFormReturn<ScheduleValues>; undo: UndoOffer }) {
  const { control, formState, register } = form;
  return (
    <>
      <Field label="Name" error={formState.errors.name?.message} required>
        <Input
          autoComplete="off"
          placeholder="Daily report"
          {...register('name', { required: 'Enter a name, such as Daily report.' })}
        />
      </Field>
      <TimingFields form={form} />
      <JobFields form={form} undo={undo} />
      <div className="grid gap-4 sm:grid-cols-2">
        <ControlField control={control} name="overlap" label="If the earlier job has not finished">
          {(bound) => <Select options={OVERLAP_OPTIONS} {...bound} />}
        </ControlField>
        <ControlField control={control} name="missed" label="Times missed while Jobline is down">
          {(bound) => <Select options={MISSED_OPTIONS} {...bound} />}
        </ControlField>
      </div>
      <JobSettings form={form} />
    </>
  );
}
