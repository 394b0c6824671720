import { expectTypeOf, it } from 'vitest';
import type { FailureKind, ModelFailure, ModelFinish } from '@throughline/ports';
import type {
  FailureKind as ToldKind,
  ModelFailure as ToldFailure,
  ModelFinish as ToldFinish,
} from '@throughline/protocol/types';

// Neither of the two packages may import the other: clients want no ports, and drivers no contract.
it('tells failures and ends of steps in the types in which drivers tell them', () => {
  expectTypeOf<ToldKind>().toEqualTypeOf<FailureKind>();
  expectTypeOf<ToldFailure>().toEqualTypeOf<ModelFailure>();
  expectTypeOf<ToldFinish>().toEqualTypeOf<ModelFinish>();
});
