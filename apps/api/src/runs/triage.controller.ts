import { TriageResource, RUN_ID } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, Param } from '@nestjs/common';
import { Requires } from '../auth/authentication.middleware';
import { type ApiReader, CurrentReader } from '../auth/requestor';
import { Problem } from '../http/problem';
import { TriageService } from './triage.service';
import { VisibleRuns } from './visible-runs';
import { RUN_IN_PATH } from '../http/path-ids';

/** Why a run has failed, as far as it is known. */
@Controller('api/v1/runs/:run_id/triage')
@Requires('key')
export class TriageController {
  constructor(
    private readonly runs: VisibleRuns,
    private readonly triages: TriageService,
  ) {}

  @Operation({
    tag: 'Results',
    id: 'triageRun',
    summary: 'Why a run has failed',
    description: [
      'For everybody, without a key: `/data/v1/runs/{run_id}/triage`.',
      'Answers the usual questions about a failed test from this run and public ones, with one conclusion and one next step. `report` names the package in which the bug most likely is.',
    ].join('\n\n'),
    answer: {
      description: 'The conclusion and the evidence for it.',
      of: TriageResource,
      example: {
        run_id: 12,
        kind: 'fails-in-reference',
        conclusion: 'It fails without glibc/2.40-4 too: that is not the fault of glibc.',
        step: { kind: 'nothing' },
        evidence: [
          {
            question: 'Does the reference fail?',
            answer: 'Yes: it failed with 2.10-3 on 2026-11-20.',
            links: [{ path: '/runs/7', name: 'run 7' }],
          },
        ],
      },
    },
    path: { run_id: { of: RUN_ID, example: 12 } },
    refusals: {
      404: 'NotFound',
      409: { description: 'The run has not failed.', detail: 'Run 12 has not failed.' },
      410: 'Gone',
    },
  })
  @Get()
  async one(
    @Param('run_id', RUN_IN_PATH) runId: number,
    @CurrentReader() reader: ApiReader,
  ): Promise<TriageResource> {
    const run = await this.runs.one(runId, reader.runs);
    const triage = await this.triages.of(run);
    if (!triage) throw new Problem(409, `Run ${runId} has not failed.`);
    const { kind, conclusion, step, evidence } = triage;
    return { run_id: runId, kind, conclusion, step, evidence };
  }
}
