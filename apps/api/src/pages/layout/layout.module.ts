import { PROBLEM_PAGE } from '../../http/problem.filter';
import type { ProblemPage } from '../../http/problem.filter';
import { Room } from '../../http/room';
import { LookController } from './look.controller';
import { problemView } from './problem-view';
import { ServiceState } from './service-state';
import { StyleController } from './style.controller';
import { Templates } from './templates';
import { WellKnownController } from './well-known.controller';

/** The parts that all pages share. */
@Room({
  controllers: [WellKnownController, LookController, StyleController],
  providers: [
    ServiceState,
    Templates,
    {
      provide: PROBLEM_PAGE,
      inject: [Templates],
      useFactory:
        (templates: Templates): ProblemPage =>
        (problem, request) =>
          templates.render('layout/problem', problemView(problem, request)),
    },
  ],
})
export class LayoutModule {}
