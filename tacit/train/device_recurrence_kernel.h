// Back through the time of a long short-term memory, on a graphics processor. NVRTC compiles this
// text when a device first needs it.
#pragma once

#ifdef __CUDACC_RTC__

enum : int { kSequences = 2, kMostHidden = 256 };

// The cells before each step and after the last, a thread for each cell of each sequence.
extern "C" __global__ void lstm_cells(const float* gates, long long steps, long long sequences,
                                      long long hidden, int reverse, float* cells) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= sequences * hidden) return;
  const long long sequence = i / hidden;
  const long long h = i % hidden;
  float cell = cells[i];
  for (long long step = 0; step < steps; ++step) {
    const long long time = reverse ? steps - 1 - step : step;
    const float* const gate = gates + (time * sequences + sequence) * 4 * hidden + h;
    cell = gate[hidden] * cell + gate[0] * gate[2 * hidden];
    cells[(step + 1) * sequences * hidden + i] = cell;
  }
}

// All steps back, some sequences a block. Sums over gates are added up in one order for every
// sequence.
extern "C" __global__ void lstm_back(float* gates, const float* cells, const float* shown,
                                     const float* of_output, const float* weight, long long steps,
                                     long long sequences, long long hidden, int reverse,
                                     float* of_state, float* of_cell) {
  __shared__ float gradients[kSequences][4 * kMostHidden];
  __shared__ float states[kSequences][kMostHidden];
  __shared__ float cell_gradients[kSequences][kMostHidden];
  __shared__ float partial[kSequences][256];
  const long long first = static_cast<long long>(blockIdx.x) * kSequences;
  const int count =
      static_cast<int>(sequences - first < kSequences ? sequences - first : kSequences);
  const int width = static_cast<int>(hidden);
  for (int e = threadIdx.x; e < count * width; e += blockDim.x) {
    states[e / width][e % width] = of_state[first * hidden + e];
    cell_gradients[e / width][e % width] = of_cell[first * hidden + e];
  }
  for (int e = threadIdx.x + count * width; e < kSequences * width; e += blockDim.x) {
    states[e / width][e % width] = 0;
  }
  for (int e = threadIdx.x; e < kSequences * 4 * width; e += blockDim.x) {
    gradients[e / (4 * width)][e % (4 * width)] = 0;
  }
  __syncthreads();
  for (long long step = steps - 1; step >= 0; --step) {
    const long long time = reverse ? steps - 1 - step : step;
    for (int e = threadIdx.x; e < count * width; e += blockDim.x) {
      const int s = e / width;
      const int h = e % width;
      const long long at = (time * sequences + first + s) * hidden + h;
      const long long before = (step * sequences + first + s) * hidden + h;
      float* const gate = gates + (time * sequences + first + s) * 4 * hidden + h;
      const float in = gate[0];
      const float forget = gate[hidden];
      const float cell = gate[2 * hidden];
      const float out = gate[3 * hidden];
      const float seen = shown[before];
      const float state = states[s][h] + (of_output != nullptr ? of_output[at] : 0.0f);
      const float total = state * out * (1 - seen * seen) + cell_gradients[s][h];
      gate[0] = gradients[s][h] = total * cell * in * (1 - in);
      gate[hidden] = gradients[s][width + h] = total * cells[before] * forget * (1 - forget);
      gate[2 * hidden] = gradients[s][2 * width + h] = total * in * (1 - cell * cell);
      gate[3 * hidden] = gradients[s][3 * width + h] = state * seen * out * (1 - out);
      cell_gradients[s][h] = total * forget;
    }
    __syncthreads();
    // Threads share the sum over gates where there are more of them than cells.
    const int parts = static_cast<int>(blockDim.x) / width;
    for (int h0 = 0; h0 < width; h0 += blockDim.x) {
      const int part = parts > 1 ? static_cast<int>(threadIdx.x) / width : 0;
      const int h =
          parts > 1 ? static_cast<int>(threadIdx.x) % width : h0 + static_cast<int>(threadIdx.x);
      const int shares = parts > 1 ? parts : 1;
      float sums[kSequences] = {};
      if (h < width && part < shares) {
        const int from = 4 * width * part / shares;
        const int to = 4 * width * (part + 1) / shares;
#pragma unroll 8
        for (int k = from; k < to; ++k) {
          const float w = weight[k * hidden + h];
          for (int s = 0; s < kSequences; ++s) sums[s] += gradients[s][k] * w;
        }
      }
      for (int s = 0; s < kSequences; ++s) partial[s][threadIdx.x] = sums[s];
      __syncthreads();
      if (part == 0 && h < width) {
        for (int s = 0; s < kSequences; ++s) {
          float sum = 0;
          for (int p = 0; p < shares; ++p) sum += partial[s][p * width + (h - h0)];
          states[s][h] = sum;
        }
      }
      __syncthreads();
    }
  }
  for (int e = threadIdx.x; e < count * width; e += blockDim.x) {
    of_state[first * hidden + e] = states[e / width][e % width];
    of_cell[first * hidden + e] = cell_gradients[e / width][e % width];
  }
}

#endif
