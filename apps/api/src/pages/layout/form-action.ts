import { applyDecorators, HttpCode, Injectable, Post, UseInterceptors } from '@nestjs/common';
import type { ArgumentMetadata, CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Strict } from '@proctor/contracts';
import { getMetadataStorage } from 'class-validator';
import { mergeMap } from 'rxjs';
import type { Observable } from 'rxjs';
import { Sent } from '../../http/body.interceptor';
import type { Parameter, Parameters } from '../../http/parameters';
import { ParametersPipe } from '../../http/parameters.pipe';
import { pathOf } from '../../http/paths';
import type { ContextRequest } from '../../http/request-context';
import type { Shape } from '../../http/shape';
import { TakesForm } from '../../sessions/form-protection';
import type { Page, Redirect } from './page';

/** What users are asked before a decision that they cannot easily take back. */
export interface Question {
  title: string;
  /** What will happen, with its count. */
  lead: string;
  button: string;
  /** Where they go instead: to the action's `then` if absent. */
  back?: string;
}

/** An action that its user confirms first. */
export interface ConfirmedAction {
  /** Or the page that asks, or says that there is nothing to do. */
  question: () => Question | Page | Promise<Question | Page>;
  act: () => Promise<unknown>;
}

interface FormOptions {
  status?: number;
  /** Where the browser goes when the handler answers no page. `:name` stands for that part of the form's own path. */
  then?: string;
}

/**
 * A handler that a form is sent to. The form must be ours: see `TakesForm`. The handler acts, or answers a `ConfirmedAction`:
 * then the question comes first, and its page sends the same fields again with `confirmed`.
 */
export function Form(path: string, { status = 200, then = '' }: FormOptions = {}): MethodDecorator {
  return applyDecorators(
    Post(path),
    HttpCode(status),
    TakesForm(),
    UseInterceptors(new FormActionInterceptor(then)),
  );
}

/** The field of a form whose question was answered. */
const CONFIRMED = 'confirmed';

class FormActionInterceptor implements NestInterceptor<unknown, Page | Redirect> {
  constructor(private readonly then: string) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<Page | Redirect> {
    const request = context.switchToHttp().getRequest<ContextRequest>();
    const parameters = request.parameters!;
    const isConfirmed = parameters.get(CONFIRMED)?.value === 'true';
    parameters.delete(CONFIRMED);
    const fields = [...parameters].filter(([, parameter]) => !isEmpty(parameter));
    const then = this.then.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(String(request.params[name])),
    );
    return next.handle().pipe(
      mergeMap(async (answer: unknown) => {
        if (!isConfirmedAction(answer)) return this.answerOf(answer, then);
        if (!isConfirmed) {
          const question = await answer.question();
          if (isAnswer(question)) return question;
          const sent = fields.map(([name, { value }]) => [name, String(value)]);
          const data = { back: then, ...question, action: pathOf(request), fields: sent };
          return { template: 'admin/confirm', data };
        }
        return this.answerOf(await answer.act(), then);
      }),
    );
  }

  private answerOf(outcome: unknown, then: string): Page | Redirect {
    if (isAnswer(outcome)) return outcome;
    if (then === '') throw new Error('an action of a form has neither a page nor an address as its answer');
    return { redirectTo: then };
  }
}

function isConfirmedAction(answer: unknown): answer is ConfirmedAction {
  return typeof answer === 'object' && answer !== null && 'question' in answer && 'act' in answer;
}

function isAnswer(answer: unknown): answer is Page | Redirect {
  return typeof answer === 'object' && answer !== null && ('template' in answer || 'redirectTo' in answer);
}

function isEmpty({ value }: Parameter): boolean {
  return value === '';
}

/** Reads a class from a form: an empty field counts as absent, unless the rules of the class need one. */
@Injectable()
class FormPipe extends ParametersPipe {
  override transform(parameters: Parameters, metadata: ArgumentMetadata): object {
    const needed = neededFields(metadata.metatype as Shape);
    const filled = [...parameters].filter(([name, parameter]) => needed.has(name) || !isEmpty(parameter));
    return super.transform(new Map(filled), metadata);
  }
}

/** The fields of a form, in the class that the parameter of the handler has as its type. */
export const SentForm = (): ParameterDecorator => Sent(FormPipe);

/** What a form without fields sends. */
@Strict()
export class NoFields {}

/** Fields that have rules and are not optional: their rules say what an empty one should be. */
function neededFields(shape: Shape): ReadonlySet<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const namesOf = (isMeant: (type: string) => boolean): string[] =>
    rules.filter(({ type }) => isMeant(type)).map(({ propertyName }) => propertyName);
  const optional = new Set(namesOf((type) => type === 'conditionalValidation'));
  const ruled = namesOf((type) => type !== 'conditionalValidation' && type !== 'whitelistValidation');
  return new Set(ruled.filter((name) => !optional.has(name)));
}
